import { readFileSync } from 'node:fs';
import { defineConfig, type Plugin } from 'vitest/config';

/** Shell scripts are imported as text, as the bundler does it. */
const shellAsText: Plugin = {
  name: 'shell-as-text',
  enforce: 'pre',
  load(id) {
    return id.endsWith('.sh') ? `export default ${JSON.stringify(readFileSync(id, 'utf8'))};` : null;
  },
};

/** One project per kind of test; `npm test` runs them in this order and adds up their counts. */
const project = (name: string, extra: object = {}) => ({
  plugins: [shellAsText],
  test: { name, include: [`test/${name}/**/*.test.ts`], ...extra },
});

export default defineConfig({
  test: {
    projects: [
      project('unit'),
      project('contract', { testTimeout: 60_000 }),
      project('integration', { testTimeout: 60_000, hookTimeout: 120_000, fileParallelism: false }),
      project('e2e', { testTimeout: 180_000, hookTimeout: 300_000, fileParallelism: false }),
    ],
  },
});
