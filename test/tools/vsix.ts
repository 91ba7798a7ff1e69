import { createVSIX, listFiles, PackageManager } from '@vscode/vsce';
import { statSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../support/paths';
import { buildBundles } from './bundles';

export const vsixFile = join(root, 'headroom.vsix');

/** A package above this has swallowed something that does not belong in it. */
const maximumBytes = 1_000_000;

export interface Package {
  readonly file: string;
  readonly bytes: number;
  readonly contents: readonly string[];
}

/** Builds the extension and packs it. Fails when the package is too large or holds code for one kind of machine only. */
export async function packExtension(): Promise<Package> {
  await buildBundles('production');
  const contents = await listFiles({ cwd: root, packageManager: PackageManager.None });
  const native = contents.filter(file => file.endsWith('.node'));
  if (native.length > 0) throw new Error(`Native code in the package: ${native.join(', ')}`);
  await createVSIX({
    cwd: root,
    packagePath: vsixFile,
    dependencies: false,
    allowMissingRepository: true,
    // There is no address yet that the README's links could be made to point to.
    rewriteRelativeLinks: false,
  });
  const bytes = statSync(vsixFile).size;
  if (bytes >= maximumBytes) throw new Error(`The package has ${bytes} bytes; it must stay under ${maximumBytes}.`);
  return { file: vsixFile, bytes, contents };
}
