/**
 * A command with the values left out that by their name are secrets: `HF_TOKEN=…`, `--api-key …`, `https://me:…@host`. For
 * what is shown or given away; what runs is the command itself. A variable that only the shell knows stays: `$HF_TOKEN` tells
 * nothing. A guess by names, so a secret under another name is not found. Never throws.
 */
export function withoutSecrets(command: string): string {
  return command
    .replace(named, (whole, name: string, between: string, value: string) =>
      /^"?\$/.test(value) || (between !== '=' && !name.startsWith('-')) ? whole : `${name}${between}…`,
    )
    .replace(inAddress, '$1…')
    .replace(bearer, '$1…');
}

/** A whole name whose last part says that a secret follows: `--max-tokens` and `tokenizer` are none. Then a word of the shell. */
const named = new RegExp(
  [
    String.raw`(?<![\w.-])(-{0,2}(?:[a-z][\w.-]*?[._-])?`,
    '(?:pg)?(?:token|secret|password|passwd|passphrase|credentials?|(?:api|access|secret|private|auth)[_-]?key))',
    String.raw`(=|[ \t]+)`,
    String.raw`((?:'[^']*'|"(?:[^"\\]|\\.)*"|\\.|[^\s'";&|()<>\\])+)`,
  ].join(''),
  'gi',
);

const inAddress = /(:\/\/[^\s:/@'"]*:)[^\s@/'"]+(?=@)/g;

const bearer = /(\bbearer[ \t]+)(?!\$)[^\s'"]+/gi;
