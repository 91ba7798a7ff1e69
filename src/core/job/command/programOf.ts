import { sourceSpan, type ShellAssignment, type ShellCommand, type ShellParser, type ShellWord } from './shellSyntax';

/** A command with the words taken off that only run another one: `nohup`, `env A=1`, `timeout 1h`, `conda run -n x`. */
export interface Program {
  /** What is run, without its folder and a version: `python` for `/usr/bin/python3.11`. Empty when only the shell knows. */
  readonly name: string;
  readonly words: readonly ShellWord[];
  /** Variables set for it alone, in the order in which they take effect. */
  readonly assignments: readonly ShellAssignment[];
  /** What decides in which environment it runs: the `conda` of `conda run …`; null for none. */
  readonly within: ShellWord | null;
}

/** Programs that run the command that follows their own options, and those of the options that take a value. */
const wrappers: Readonly<Record<string, readonly string[]>> = {
  nohup: [],
  exec: [],
  command: [],
  setsid: [],
  nice: ['-n'],
  ionice: ['-c', '-n'],
  chrt: [],
  time: ['-f', '-o'],
  stdbuf: ['-i', '-o', '-e'],
  unbuffer: [],
  numactl: [],
  taskset: [],
  timeout: ['-s', '-k', '--signal', '--kill-after'],
  sudo: ['-u', '-g', '-h', '-p'],
  env: ['-u', '-C', '-S'],
  caffeinate: [],
};

/** `conda run …`: a wrapper with a verb. */
const verbWrappers: Readonly<Record<string, { readonly verb: string; readonly valued: readonly string[] }>> = {
  conda: { verb: 'run', valued: ['-n', '-p', '--name', '--prefix', '--cwd'] },
  mamba: { verb: 'run', valued: ['-n', '-p', '--name', '--prefix', '--cwd'] },
  micromamba: { verb: 'run', valued: ['-n', '-p', '--name', '--prefix', '--cwd'] },
  uv: { verb: 'run', valued: ['--with', '--extra', '--group', '--python', '-p', '--env-file', '--project'] },
  poetry: { verb: 'run', valued: [] },
  pipenv: { verb: 'run', valued: [] },
  pixi: { verb: 'run', valued: ['-e', '--environment', '--manifest-path'] },
  hatch: { verb: 'run', valued: [] },
};

/** Wrappers whose first word that is no option is theirs, too: a duration, a mask of processors. */
const takesOneWord: ReadonlySet<string> = new Set(['timeout', 'taskset', 'chrt']);

const assignmentWord = /^([A-Za-z_]\w*)=/;

export function programOf(command: ShellCommand): Program {
  let words = command.words;
  const assignments = [...command.assignments];
  let within: ShellWord | null = null;
  for (let round = 0; round < 8; round += 1) {
    const name = baseName(words[0]?.text ?? '');
    const verb = verbWrappers[name];
    let rest: readonly ShellWord[];
    if (verb !== undefined && words[1]?.text === verb.verb) {
      rest = withoutOptions(words.slice(2), verb.valued);
      within ??= words[0] ?? null;
    } else if (Object.hasOwn(wrappers, name)) {
      rest = withoutOptions(words.slice(1), wrappers[name] ?? []);
      if (takesOneWord.has(name)) rest = rest.slice(1);
    } else break;
    if (name === 'env' || name === 'sudo') {
      const count = rest.findIndex(word => !assignmentWord.test(word.text));
      const own = rest.slice(0, count < 0 ? rest.length : count);
      assignments.push(...own.flatMap(word => assignmentIn(word) ?? []));
      rest = rest.slice(own.length);
    }
    if (rest.length === 0) break;
    words = rest;
  }
  return { name: baseName(words[0]?.text ?? ''), words, assignments, within };
}

/** `NAME=value` as a word of `env`, `export` and the like. */
export function assignmentIn(word: ShellWord): ShellAssignment | null {
  const [whole, name] = assignmentWord.exec(word.text) ?? [];
  if (whole === undefined || name === undefined) return null;
  return { start: word.start, end: word.end, name, value: subWord(word, whole.length), elements: [] };
}

/** The part of a word from an offset of its text on, as a word. */
export function subWord(word: ShellWord, from: number, to = word.text.length): ShellWord {
  const span = sourceSpan(word, from, to) ?? { start: word.end, end: word.end };
  return {
    ...span,
    text: word.text.slice(from, to),
    at: word.at.slice(from, to),
    expansions: word.expansions
      .filter(part => part.start < to && part.end > from)
      .map(part => ({ start: Math.max(part.start, from) - from, end: Math.min(part.end, to) - from })),
  };
}

/**
 * The commands of a text and those inside of its `bash -c '…'`, with all offsets in the text itself. One level is enough for
 * what people write.
 */
export function commandsOf(text: string, parser: ShellParser): readonly ShellCommand[] {
  return parser.parse(text).commands.flatMap(command => {
    const inner = innerScript(command);
    return inner === null ? [command] : [command, ...parser.parse(inner.text).commands.map(moved(inner))];
  });
}

/** The script that a shell is given by `-c`, where it stands in quotes and nothing in it is expanded outside. */
function innerScript(command: ShellCommand): ShellWord | null {
  const { name, words } = programOf(command);
  if (!/^(?:ba|z|da)?sh$/.test(name)) return null;
  const flag = words.findIndex(word => /^-[a-z]*c$/.test(word.text));
  const script = flag < 0 ? undefined : words[flag + 1];
  return script === undefined || script.expansions.length > 0 ? null : script;
}

/** Moves what was parsed from the text of a word to where it stands in the source. */
function moved(outer: ShellWord): (command: ShellCommand) => ShellCommand {
  const at = (index: number): number => outer.at[index] ?? outer.end;
  const span = ({ start, end }: { readonly start: number; readonly end: number }) => ({
    start: at(start),
    end: end === start ? at(start) : at(end - 1) + 1,
  });
  const word = (inner: ShellWord): ShellWord => ({ ...inner, ...span(inner), at: inner.at.map(at) });
  const assignment = (inner: ShellAssignment): ShellAssignment => ({
    ...inner,
    ...span(inner),
    value: inner.value === null ? null : word(inner.value),
    elements: inner.elements.map(word),
  });
  return command => ({
    ...command,
    ...span(command),
    words: command.words.map(word),
    assignments: command.assignments.map(assignment),
    redirects: command.redirects.map(redirect => ({
      ...redirect,
      ...span(redirect),
      target: redirect.target === null ? null : word(redirect.target),
    })),
  });
}

function withoutOptions(words: readonly ShellWord[], valued: readonly string[]): readonly ShellWord[] {
  let index = 0;
  for (; index < words.length; index += 1) {
    const text = words[index]?.text ?? '';
    if (text === '--') return words.slice(index + 1);
    if (!text.startsWith('-')) break;
    if (valued.includes(text)) index += 1;
  }
  return words.slice(index);
}

function baseName(text: string): string {
  const file = text.slice(text.lastIndexOf('/') + 1);
  return file.includes('$') || file.includes('`') ? '' : file.replace(/^(python|pypy|pip)[\d.]+$/, '$1');
}
