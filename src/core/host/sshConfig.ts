import { matchesPatternList } from './sshPattern';

/** An SSH configuration as a tree, its Include files in place. Made of files by an adapter; nothing here reads one. */
export type ConfigNode =
  | { readonly kind: 'set'; readonly keyword: string; readonly values: readonly string[] }
  | { readonly kind: 'host'; readonly patterns: readonly string[]; readonly body: readonly ConfigNode[] }
  /** A Match block. What it asks cannot be answered without running commands, so its body is never looked at. */
  | { readonly kind: 'match' }
  | { readonly kind: 'include'; readonly body: readonly ConfigNode[] };

/**
 * The names a user can connect to: every Host pattern that is one name. Wildcards and negations are rules, not hosts. In
 * the order of the files, each once.
 */
export function listedAliases(nodes: readonly ConfigNode[]): readonly string[] {
  const found = new Set<string>();
  const visit = (list: readonly ConfigNode[]): void => {
    for (const node of list) {
      if (node.kind === 'host') node.patterns.filter(isPlainName).forEach(name => found.add(name));
      if (node.kind === 'host' || node.kind === 'include') visit(node.body);
    }
  };
  visit(nodes);
  return [...found];
}

/** What holds for one host: the values of each option, by its keyword in lower case. */
export type SshOptions = ReadonlyMap<string, readonly string[]>;

/** Reads what `ssh -G` prints: one option a line, `keyword value`; repeated keywords add up. */
export function parseSshG(text: string): SshOptions {
  const options = new Map<string, readonly string[]>();
  for (const line of text.split(/\r?\n/)) {
    const match = /^(\S+) (.*)$/.exec(line);
    if (match === null) continue;
    const [, keyword = '', value = ''] = match;
    const key = keyword.toLowerCase();
    options.set(key, [...(options.get(key) ?? []), value]);
  }
  return options;
}

/** Options that add up; of any other the first value wins, as for ssh. */
const repeatable = new Set(['identityfile', 'certificatefile', 'sendenv', 'localforward', 'remoteforward']);

/** Options whose value is a list of words on one line. */
const wordLists = new Set(['userknownhostsfile', 'globalknownhostsfile']);

/**
 * The options that hold for `destination`, without asking ssh. Less than `ssh -G` knows: Match blocks count for nothing,
 * and host names are not made canonical.
 */
export function staticOptions(nodes: readonly ConfigNode[], destination: string): SshOptions {
  const options = new Map<string, readonly string[]>();
  const visit = (list: readonly ConfigNode[]): void => {
    for (const node of list) {
      if (node.kind === 'include') visit(node.body);
      else if (node.kind === 'host') {
        if (matchesPatternList(node.patterns, destination)) visit(node.body);
      } else if (node.kind === 'set') {
        const { keyword, values } = node;
        const before = options.get(keyword);
        const value = wordLists.has(keyword) ? values : [values.join(' ')];
        if (before === undefined) options.set(keyword, value);
        else if (repeatable.has(keyword)) options.set(keyword, [...before, ...value]);
      }
    }
  };
  visit(nodes);
  return options;
}

function isPlainName(pattern: string): boolean {
  return pattern !== '' && !/[*?!]|^-|[\s\p{C}]/u.test(pattern);
}
