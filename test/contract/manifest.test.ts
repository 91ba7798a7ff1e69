import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commandIds, contextKeys, settingIds, viewIds } from '../../src/editor/ids';
import { root } from '../support/paths';
import { sourceFiles } from './sourceFiles';

interface MenuEntry {
  readonly command: string;
  readonly when?: string;
  readonly group?: string;
}

interface Manifest {
  readonly icon: string;
  readonly contributes: {
    readonly commands: readonly { readonly command: string; readonly title: string; readonly category?: string }[];
    readonly configuration: {
      readonly properties: Readonly<
        Record<string, { readonly scope?: string; readonly default?: unknown } | undefined>
      >;
    };
    readonly menus: Readonly<Record<string, readonly MenuEntry[]>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string; readonly icon: string }[]>>;
    readonly viewsContainers: { readonly activitybar: readonly { readonly id: string; readonly icon: string }[] };
    readonly viewsWelcome: readonly { readonly view: string; readonly contents: string }[];
  };
  readonly capabilities: { readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] } };
}

const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const text = read('package.json');
const manifest = JSON.parse(text) as Manifest;
const strings = JSON.parse(read('package.nls.json')) as Record<string, string>;
const { contributes } = manifest;
const sorted = (values: Iterable<string>): string[] => [...values].sort();

describe('the table of ids and the manifest', () => {
  it('know the same commands', () => {
    expect(sorted(contributes.commands.map(({ command }) => command))).toEqual(sorted(Object.values(commandIds)));
  });

  it('know the same settings', () => {
    expect(sorted(Object.keys(contributes.configuration.properties))).toEqual(sorted(Object.values(settingIds)));
  });

  it('know the same container and views', () => {
    expect(contributes.viewsContainers.activitybar.map(({ id }) => id)).toEqual([viewIds.container]);
    expect(contributes.views[viewIds.container]?.map(({ id }) => id)).toEqual([viewIds.hosts, viewIds.jobs]);
    expect(new Set(contributes.viewsWelcome.map(({ view }) => view))).toEqual(new Set([viewIds.hosts, viewIds.jobs]));
  });

  it('know the same context keys', () => {
    const views: readonly string[] = Object.values(viewIds);
    const asked = Object.values(contributes.menus)
      .flat()
      .flatMap(({ when }) => when?.match(/headroom\.\w+/g) ?? [])
      .filter(name => !views.includes(name));
    expect(sorted(new Set(asked))).toEqual(sorted(Object.values(contextKeys)));
  });

  it('offer only commands that there are', () => {
    const known: readonly string[] = Object.values(commandIds);
    for (const { command } of Object.values(contributes.menus).flat()) expect(known).toContain(command);
    for (const { contents } of contributes.viewsWelcome)
      for (const [, command] of (strings[contents.slice(1, -1)] ?? '').matchAll(/\(command:([^)]+)\)/g))
        expect(known).toContain(command);
  });

  it('are the only place where such a name is written', () => {
    const elsewhere = sourceFiles()
      .filter(file => !file.endsWith('editor/ids.ts'))
      // The job file has a name that looks like one.
      .flatMap(file => read(file).match(/['"`]headroom\.(?!yaml)[\w.]+['"`]/g) ?? []);
    expect(elsewhere).toEqual([]);
  });
});

describe('the manifest', () => {
  it('uses every text of package.nls.json, and no other', () => {
    const used = [...text.matchAll(/"%([^%"]+)%"/g)].map(([, key]) => key ?? '');
    expect(sorted(new Set(used))).toEqual(sorted(Object.keys(strings)));
  });

  it('puts every command into one category', () => {
    expect(new Set(contributes.commands.map(({ category }) => category))).toEqual(new Set(['Headroom']));
  });

  it('gives every setting a default, and takes none from a workspace', () => {
    for (const [id, setting] of Object.entries(contributes.configuration.properties)) {
      expect(setting?.default, id).toBeDefined();
      expect(setting?.scope, id).toBe('application');
    }
    expect(sorted(manifest.capabilities.untrustedWorkspaces.restrictedConfigurations)).toEqual(
      sorted(Object.values(settingIds)),
    );
  });

  it('names pictures that exist', () => {
    const pictures = [
      manifest.icon,
      ...contributes.viewsContainers.activitybar.map(({ icon }) => icon),
      ...Object.values(contributes.views)
        .flat()
        .map(({ icon }) => icon),
    ];
    for (const picture of pictures) expect(existsSync(join(root, picture)), picture).toBe(true);
  });

  it('keeps the rows of each view to three inline actions', () => {
    const inline = (contributes.menus['view/item/context'] ?? []).filter(({ group }) => group?.startsWith('inline'));
    for (const view of [viewIds.hosts, viewIds.jobs]) {
      const own = inline.filter(({ when }) => when?.startsWith(`view == ${view} `));
      expect(own.length, view).toBeGreaterThan(0);
      expect(own.length, view).toBeLessThanOrEqual(3);
    }
  });

  it('offers no launch where the workspace is not trusted', () => {
    const launching: readonly string[] = [
      commandIds.launchCommand,
      commandIds.launchSelection,
      commandIds.launchScript,
      commandIds.launchJob,
      commandIds.saveJob,
    ];
    const entries = Object.values(contributes.menus)
      .flat()
      .filter(({ command }) => launching.includes(command));
    // In the palette, where what is not named is offered always, too.
    const inPalette = (contributes.menus['commandPalette'] ?? []).map(({ command }) => command);
    expect(inPalette).toEqual(expect.arrayContaining([...launching]));
    for (const { command, when } of entries) expect(when, command).toMatch(/(?<!!)\bisWorkspaceTrusted\b/);
  });
});
