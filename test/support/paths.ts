import { join, resolve } from 'node:path';

/** The repository. */
export const root = resolve(import.meta.dirname, '../..');

/** Everything that a run leaves behind for people to look at. Not in git. */
export const artifacts = join(root, '.artifacts');

export const screenshots = join(artifacts, 'screenshots');
