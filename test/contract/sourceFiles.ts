import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/paths';

/** Every TypeScript file of src, from the root of the repository, in order. */
export function sourceFiles(): readonly string[] {
  return readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' })
    .filter(file => file.endsWith('.ts'))
    .map(file => `src/${file}`)
    .sort();
}
