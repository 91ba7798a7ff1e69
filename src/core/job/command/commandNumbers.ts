import { knobOfName, knobOfVariable, type Knob } from './knobs';
import { readNumber } from './numberStyle';
import type { ParameterPlace } from '../job';
import { assignmentIn, commandsOf, programOf, subWord } from './programOf';
import {
  isExpanded,
  sourceSpan,
  type ShellAssignment,
  type ShellCommand,
  type ShellParser,
  type ShellWord,
  type Span,
} from './shellSyntax';

/** A number that a command is given, and where exactly it stands. */
export interface CommandNumber {
  /** As the user wrote it: `--max-seq-len`, `-j`, `MAX_JOBS`, `batch_size`. */
  readonly name: string;
  readonly place: ParameterPlace;
  /** The text that `span` counts in: the command, or the value of a variable given beside it. */
  readonly source: NumberSource;
  readonly span: Span;
  readonly text: string;
  /** null where only the shell knows it (`$BS`), for a list, and where a flag stands without its number. */
  readonly value: number | null;
  /** The flag stands alone (`make -j`): the number has to be put behind `span`. */
  readonly bare: boolean;
  /** null for a number that is not known to have to do with memory. */
  readonly knob: Knob | null;
}

export type NumberSource = { readonly kind: 'command' } | { readonly kind: 'environment'; readonly variable: string };

/** Programs whose arguments are no settings. */
const silent: ReadonlySet<string> = new Set([
  'echo',
  'printf',
  'cd',
  'source',
  '.',
  'mkdir',
  'rm',
  'cat',
  'ls',
  'sleep',
]);

/** Programs to which `-j` without a number means as many as they like. */
const bareJobs = /^(?:make|gmake|ninja|cmake|samu)$/;

/**
 * Every number that a command and the variables beside it set by a flag, a variable or a key, those that trade memory for
 * speed first, in the order in which a person would change them. Where a program is given a flag twice, the last one counts.
 */
export function findNumbers(
  text: string,
  env: ReadonlyMap<string, string>,
  parser: ShellParser,
): readonly CommandNumber[] {
  const commands = commandsOf(text, parser);
  const inCommand = commands.flatMap(command => numbersOf(command, [...env.keys()]));
  const set = new Set(inCommand.flatMap(({ place }) => (place.kind === 'env' ? place.variable : [])));
  // A variable that the command sets itself hides the one beside it.
  const beside = [...env]
    .filter(([name]) => !set.has(name))
    .flatMap(([name, value]) => besideCommand(name, value, text));
  return [...inCommand, ...beside].sort(byUsefulness);
}

/** Where a job's parameter stands; null when the command does not have it. */
export function numberOf(numbers: readonly CommandNumber[], place: ParameterPlace): CommandNumber | null {
  return numbers.find(number => samePlace(number.place, place)) ?? null;
}

function samePlace(one: ParameterPlace, other: ParameterPlace): boolean {
  return one.kind === other.kind && placeName(one) === placeName(other);
}

export function placeName(place: ParameterPlace): string {
  return place.kind === 'flag' ? place.flag : place.kind === 'env' ? place.variable : place.key;
}

function byUsefulness(one: CommandNumber, other: CommandNumber): number {
  return rank(one) - rank(other) || one.span.start - other.span.start;
}

/** Nothing can be saved at the floor, so such a number comes behind the others of its memory. */
function rank({ knob, value }: CommandNumber): number {
  if (knob === null) return 10_000;
  // A fraction is a share of the card, and has no floor.
  const whole = value !== null && Number.isInteger(value);
  const atFloor = whole && knob.floor !== null && value <= knob.floor && knob.direction === 'smallerSavesMemory';
  return (knob.memory === 'gpu' ? 0 : 1000) + (atFloor ? 500 : 0) + knob.order;
}

function besideCommand(variable: string, value: string, command: string): readonly CommandNumber[] {
  const number = readNumber(value.trim());
  if (number === null) return [];
  const start = value.length - value.trimStart().length;
  return [
    {
      name: variable,
      place: { kind: 'env', variable },
      source: { kind: 'environment', variable },
      span: { start, end: start + value.trim().length },
      text: value.trim(),
      value: number,
      bare: false,
      knob: meaning(knobOfVariable(variable, command), number),
    },
  ];
}

/** `-1` and 0 stand for "automatic" or "none": there is nothing to reckon with. */
const meaning = (knob: Knob | null, value: number | null): Knob | null => (value !== null && value <= 0 ? null : knob);

function numbersOf(command: ShellCommand, variables: readonly string[]): readonly CommandNumber[] {
  const program = programOf(command);
  const all = [...program.words.map(word => word.text), ...variables].join(' ');
  const found: CommandNumber[] = [];

  const add = (place: ParameterPlace, value: ShellWord, knob: Knob | null, bare = false): void => {
    const number = isExpanded(value) || bare ? null : readNumber(value.text);
    const isList = /^\d+(?:,\d+)+$/.test(value.text);
    if (number === null && (knob === null || !(isExpanded(value) || isList || bare))) return;
    const { start, end } = sourceSpan(value) ?? value;
    const name = placeName(place);
    const source: NumberSource = { kind: 'command' };
    found.push({
      name,
      place,
      source,
      span: { start, end },
      text: value.text,
      value: number,
      bare,
      knob: meaning(knob, number),
    });
  };
  const addVariable = ({ name, value }: ShellAssignment): void => {
    if (value !== null) add({ kind: 'env', variable: name }, value, knobOfVariable(name, all));
  };

  program.assignments.forEach(addVariable);
  for (const { elements } of program.assignments) readArguments(elements, { all, add, addVariable });
  if (['export', 'declare', 'typeset', 'local'].includes(program.name)) {
    for (const word of program.words.slice(1)) {
      const assignment = assignmentIn(word);
      if (assignment !== null) addVariable(assignment);
    }
  } else if (!silent.has(program.name)) {
    readArguments(program.words.slice(1), { all, add, addVariable });
    const last = program.words.at(-1);
    if (last?.text === '-j' && bareJobs.test(program.name)) {
      add({ kind: 'flag', flag: '-j' }, last, knobOfName('-j', all), true);
    }
  }
  const lastOf = new Map(found.map(number => [`${number.place.kind} ${number.name}`, number]));
  return [...lastOf.values()];
}

interface Sink {
  readonly all: string;
  readonly add: (place: ParameterPlace, value: ShellWord, knob: Knob | null) => void;
  readonly addVariable: (assignment: ShellAssignment) => void;
}

function readArguments(words: readonly ShellWord[], { all, add, addVariable }: Sink): void {
  const flag = (name: string, value: ShellWord): void =>
    add({ kind: 'flag', flag: name }, value, knobOfName(name, all));
  const key = (name: string, value: ShellWord): void =>
    add({ kind: 'assignment', key: name }, value, knobOfName(name, all));

  for (const [index, word] of words.entries()) {
    const { text } = word;
    const next = words[index + 1];
    const previous = words[index - 1]?.text ?? '';
    const [, long, glued] = /^(--?[A-Za-z][\w.-]*?)(?:=(.*))?$/s.exec(text) ?? [];
    if (/^-[a-zA-Z]/.test(text) && !text.includes('=') && isGlued(word)) {
      flag(text.slice(0, 2), subWord(word, 2));
    } else if (long !== undefined && glued !== undefined) {
      const value = subWord(word, long.length + 1);
      flag(long, value);
      readInside(value, long, key);
    } else if (long !== undefined && next !== undefined && !isVariableOption(long)) {
      flag(long, next);
      readInside(next, long, key);
    } else if (isVariableOption(previous) && assignmentIn(word) !== null) {
      const assignment = assignmentIn(word);
      if (assignment !== null) addVariable(assignment);
    } else if (next !== undefined && /^[A-Z][A-Z0-9_]*(?:\.[A-Z0-9_]+)+$/.test(text)) {
      // yacs, as detectron2 has it: a dotted name in capitals, a blank, the value.
      key(text, next);
    } else if (!text.startsWith('-') && !isInsideOf(previous)) {
      readPairs(word, key);
    }
  }
}

/** `-j8`, `-j$(nproc)`. */
function isGlued({ text, expansions }: ShellWord): boolean {
  return /^-[a-zA-Z]\d+$/.test(text) || (text.length > 2 && expansions.some(({ start }) => start === 2));
}

/** `docker run -e NAME=value`. */
const isVariableOption = (text: string): boolean => text === '-e' || text === '--env';

/** The value of a long flag has been read with its flag. */
const isInsideOf = (previous: string): boolean => /^--[A-Za-z]/.test(previous) && !previous.includes('=');

type Found = (key: string, value: ShellWord) => void;

/** Numbers within the value of a flag: JSON, and lists of `key=value`. */
function readInside(value: ShellWord, flag: string, key: Found): void {
  const name = flag.replace(/^-+/, '').replaceAll('-', '_');
  if (value.text.startsWith('{')) {
    for (const match of value.text.matchAll(/"([\w-]+)"\s*:\s*(-?[\d.]+)(?=\s*[,}])/g)) {
      const [whole, member = '', digits = ''] = match;
      const from = match.index + whole.length - digits.length;
      key(`${name}.${member}`, subWord(value, from, from + digits.length));
    }
  } else if (!isArchitecture.test(name)) readPairs(value, key);
}

/** Numbers that make another model, not the same one with less memory. */
const isArchitecture = /override/;

/** `a=1,b=2`: one pair or more. */
function readPairs(word: ShellWord, key: Found): void {
  for (const match of word.text.matchAll(/(?:^|,)\+{0,2}([A-Za-z_][\w./-]*)=([^,]*)/g)) {
    const [whole, name = '', value = ''] = match;
    const from = match.index + whole.length - value.length;
    key(name, subWord(word, from, from + value.length));
  }
}
