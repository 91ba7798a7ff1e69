import type { AttemptSpec } from '../attempt';
import { findNumbers, type CommandNumber } from './commandNumbers';
import type { ShellParser } from './shellSyntax';

/** Which of a command's numbers earlier attempts of it were about. */
export type NumberBefore =
  { readonly kind: 'chosen'; readonly number: CommandNumber | null } | { readonly kind: 'neverAsked' };

/**
 * What was answered when this command was launched last, whatever values its numbers had then: the records on the host
 * remember it, so it is asked once for each command and not once for each machine that the user sits at.
 *
 * @param earlier the attempts of the host, the newest first
 */
export function numberBefore(
  run: string,
  numbers: readonly CommandNumber[],
  earlier: readonly Pick<AttemptSpec, 'run' | 'values'>[],
  parser: ShellParser,
): NumberBefore {
  const key = withoutNumbers(run, numbers);
  const same = earlier.find(spec => withoutNumbers(spec.run, findNumbers(spec.run, new Map(), parser)) === key);
  if (same === undefined) return { kind: 'neverAsked' };
  const [name] = Object.keys(same.values);
  if (name === undefined) return { kind: 'chosen', number: null };
  const number = numberNamed(numbers, name);
  return number === null ? { kind: 'neverAsked' } : { kind: 'chosen', number };
}

/** The command with a mark in the place of each of its numbers. */
export function withoutNumbers(run: string, numbers: readonly CommandNumber[]): string {
  return numbers
    .filter(({ source, bare }) => source.kind === 'command' && !bare)
    .sort((one, other) => other.span.start - one.span.start)
    .reduce((text, { span }) => `${text.slice(0, span.start)}#${text.slice(span.end)}`, run);
}

/** The number that a record names: by what stands in the command, or by its parameter's name, which has no dashes in front. */
export function numberNamed(numbers: readonly CommandNumber[], name: string): CommandNumber | null {
  const bare = (text: string): string => text.replace(/^-+/, '');
  return numbers.find(number => bare(number.name) === bare(name)) ?? null;
}
