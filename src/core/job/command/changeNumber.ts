import type { CommandNumber } from './commandNumbers';
import { writeNumber } from './numberStyle';

/** A job's command and the variables beside it: the two texts that a number can stand in. */
export interface CommandTexts {
  readonly run: string;
  readonly env: ReadonlyMap<string, string>;
}

/** Stands for the number in the key under which a command is remembered. */
const placeholder = '<value>';

/** The texts with this one number changed, in its own style, and not one other character. */
export function changeNumber(texts: CommandTexts, number: CommandNumber, value: number): CommandTexts {
  const written = writeNumber(value, number.bare ? '' : number.text);
  return put(texts, number, number.bare ? `${number.text} ${written}` : written);
}

/** The command without its number: the same for all values, so that what is learnt about one serves the others. */
export function maskedCommand(texts: CommandTexts, number: CommandNumber): string {
  const { run, env } = put(texts, number, number.bare ? `${number.text} ${placeholder}` : placeholder);
  const { source } = number;
  return source.kind === 'command' ? run : `${source.variable}=${env.get(source.variable) ?? ''} ${run}`;
}

function put({ run, env }: CommandTexts, { source, span }: CommandNumber, text: string): CommandTexts {
  const changed = (old: string): string => old.slice(0, span.start) + text + old.slice(span.end);
  if (source.kind === 'command') return { run: changed(run), env };
  return { run, env: new Map(env).set(source.variable, changed(env.get(source.variable) ?? '')) };
}
