/** `npm run build`: dist/ with source maps, for developing. */
import { relative } from 'node:path';
import { root } from '../support/paths';
import { buildBundles } from './bundles';

try {
  for (const entry of await buildBundles('development')) console.log(relative(root, entry));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
