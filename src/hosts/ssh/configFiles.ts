import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import SSHConfig, { type Directive, type Line } from 'ssh-config';
import { glob } from 'tinyglobby';
import type { ConfigNode } from '../../core/host/sshConfig';

/** ssh stops at 16 (READCONF_MAX_DEPTH in readconf.c). */
const depthLimit = 16;

/** Files that include each other are read again on every way to them, which is endless long before it is deep. */
const mostReads = 1_000;

/**
 * Reads an SSH configuration file and those that it includes into a tree. Parses only: nothing in it is ever run. Files
 * that are missing or unreadable, and cycles, are left out. `home` is where relative Include patterns of a user's file
 * start; those of the system's start where it lies.
 */
export async function readConfig(file: string, home: string): Promise<readonly ConfigNode[]> {
  const base = file.startsWith('/etc/') ? dirname(file) : join(home, '.ssh');
  return await readTree(file, { base, home, above: [], readsLeft: { count: mostReads } });
}

interface Place {
  readonly base: string;
  readonly home: string;
  readonly above: readonly string[];
  /** Of all files together. */
  readonly readsLeft: { count: number };
}

async function readTree(file: string, place: Place): Promise<readonly ConfigNode[]> {
  if (place.above.includes(file) || place.above.length >= depthLimit) return [];
  if (place.readsLeft.count-- <= 0) return [];
  let lines: readonly Line[];
  try {
    lines = SSHConfig.parse(await readFile(file, 'utf8'));
  } catch {
    return [];
  }
  return await nodesOf(lines, { ...place, above: [...place.above, file] });
}

async function nodesOf(lines: readonly Line[], place: Place): Promise<readonly ConfigNode[]> {
  const nodes: ConfigNode[] = [];
  for (const line of lines) {
    if (!('param' in line)) continue;
    const keyword = line.param.toLowerCase();
    const values = valuesOf(keyword, line.value);
    if (keyword === 'host') {
      const body = 'config' in line ? await nodesOf(line.config, place) : [];
      nodes.push({ kind: 'host', patterns: values, body });
    } else if (keyword === 'match') nodes.push({ kind: 'match' });
    else if (keyword === 'include') nodes.push({ kind: 'include', body: await included(values, place) });
    else nodes.push({ kind: 'set', keyword, values });
  }
  return nodes;
}

/**
 * ssh-config splits command lines like the options that are lists. A shell gets the command, so its quotes go back where
 * they were; where several blanks stood, one is as good.
 */
function valuesOf(keyword: string, value: Directive['value']): readonly string[] {
  if (typeof value === 'string') return [value];
  if (!keyword.endsWith('command')) return value.map(({ val }) => val);
  return [value.map(({ val, quoted }) => (quoted === true ? `"${val}"` : val)).join(' ')];
}

async function included(patterns: readonly string[], place: Place): Promise<readonly ConfigNode[]> {
  const bodies: ConfigNode[] = [];
  for (const pattern of patterns) {
    const named = pattern.replace(/^~(?=\/|$)/, () => place.home);
    const path = isAbsolute(named) ? named : join(place.base, named);
    // ssh's globs know * ? [ ] only, never descend by themselves, and come in alphabetical order.
    const files = /[*?[]/.test(path) ? await glob(path, { absolute: true, dot: false, onlyFiles: true }) : [path];
    for (const file of [...files].sort()) bodies.push(...(await readTree(file, place)));
  }
  return bodies;
}
