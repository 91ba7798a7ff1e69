/** `npm run build`: dist/ with source maps, for developing. */
import { relative } from 'node:path';
import { root } from '../support/paths';
import { buildBundles } from './bundles';

for (const entry of await buildBundles('development')) console.log(relative(root, entry));
