/** `npm run package`: headroom.vsix, ready to install. */
import { packExtension } from './vsix';

const { file, bytes, contents } = await packExtension();
console.log(`${file}: ${(bytes / 1000).toFixed(0)} kB, ${contents.length} files`);
