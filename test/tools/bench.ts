/** `npm run bench -- NAME`: measures and prints. Figures are facts about the machine they were taken on; nothing is asserted. */
import { ensureSystemPackages, testPackages } from '../support/systemPackages';

const benches: Readonly<Record<string, () => Promise<string>>> = {
  logs: async () => (await import('../bench/logs')).logsBench(),
  watch: async () => (await import('../bench/watch')).watchBench(),
};

const name = process.argv[2] ?? '';
const bench = benches[name];
if (bench === undefined) {
  console.error(`usage: npm run bench -- ${Object.keys(benches).join(' | ')}`);
  process.exit(2);
}
await ensureSystemPackages(testPackages);
console.log(await bench());
