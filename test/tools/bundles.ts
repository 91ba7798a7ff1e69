import { build, type Plugin } from 'esbuild';
import { copyFileSync, existsSync, rmSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { root } from '../support/paths';

export const dist = join(root, 'dist');

/** What activation must not load: each takes tens of milliseconds. */
const lazyPackages = ['ssh2', 'execa', 'yaml', 'web-tree-sitter'];

/** Loaded by path: the engine of the shell parser and the grammar that it reads. */
const wasmFiles = ['web-tree-sitter/web-tree-sitter.wasm', 'tree-sitter-bash/tree-sitter-bash.wasm'];

/** Bundles that are started by path and not by an import. */
const startedByPath = ['src/hosts/ssh/keyWorker.ts'];

/**
 * Makes every dynamic import of a file of ours a bundle of its own, so that activation loads nothing of it: the import
 * becomes `./<name>.js` beside the importing bundle, and `found` is told what to build for it.
 */
function lazyBundles(found: (entry: string) => void): Plugin {
  return {
    name: 'lazy-bundles',
    setup(context) {
      context.onResolve({ filter: /^\.{1,2}\// }, args => {
        if (args.kind !== 'dynamic-import') return undefined;
        const entry = `${resolve(args.resolveDir, args.path)}.ts`;
        found(entry);
        return { path: `./${nameOf(entry)}.js`, external: true };
      });
    },
  };
}

function nameOf(entry: string): string {
  return basename(entry, '.ts');
}

/** Builds dist/ from src/: the extension and each of its lazily loaded parts. Returns the entries, the extension first. */
export async function buildBundles(kind: 'development' | 'production'): Promise<readonly string[]> {
  rmSync(dist, { recursive: true, force: true });
  const entries = ['src/extension.ts', ...startedByPath].map(file => join(root, file)).filter(file => existsSync(file));
  const queue = new Set(entries);
  // A set hands out what is added while it is walked: bundles that only other bundles ask for come last.
  for (const entry of queue) {
    const twin = [...queue].find(other => other !== entry && nameOf(other) === nameOf(entry));
    if (twin !== undefined) throw new Error(`Two bundles would be dist/${nameOf(entry)}.js: ${twin} and ${entry}`);
    const { metafile } = await build({
      entryPoints: [entry],
      metafile: true,
      outfile: join(dist, `${nameOf(entry)}.js`),
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      // VS Code loads extensions by require(); so do the bundles each other.
      supported: { 'dynamic-import': false },
      // Without its native helpers ssh2 is plain JavaScript and the same package serves every machine.
      external: ['vscode', 'cpu-features', '*.node'],
      // The address of an ES module is that of its bundle.
      define: { 'import.meta.url': 'bundleUrl' },
      banner: { js: "const bundleUrl = require('node:url').pathToFileURL(__filename).href;" },
      loader: { '.sh': 'text' },
      // Its ES module makes a `require` of its own, which hides the one that it is loaded with.
      alias: { 'web-tree-sitter': join(root, 'node_modules/web-tree-sitter/web-tree-sitter.cjs') },
      plugins: [lazyBundles(file => queue.add(file))],
      minify: kind === 'production',
      sourcemap: kind === 'development' ? 'linked' : false,
      legalComments: 'none',
      logLevel: 'warning',
    });
    if (entry === entries[0]) assertLight(Object.keys(metafile.inputs));
  }
  for (const file of wasmFiles) copyFileSync(join(root, 'node_modules', file), join(dist, basename(file)));
  return [...queue];
}

function assertLight(inputs: readonly string[]): void {
  const heavy = lazyPackages.filter(name => inputs.some(input => input.includes(`node_modules/${name}/`)));
  if (heavy.length > 0) {
    throw new Error(`Activation would load ${heavy.join(', ')}. Import what needs it with import(), not at the top.`);
  }
}
