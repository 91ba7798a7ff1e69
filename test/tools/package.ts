/** `npm run package`: headroom.vsix, ready to install. */
import { packExtension } from './vsix';

try {
  const { file, bytes, contents } = await packExtension();
  console.log(`${file}: ${(bytes / 1000).toFixed(0)} kB, ${contents.length} files`);
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
