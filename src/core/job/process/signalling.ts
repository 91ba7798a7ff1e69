import type { ProcessIdentity } from '../attempt';

export type Signal = 'INT' | 'TERM' | 'KILL' | 'STOP' | 'CONT';

const byStrength: readonly Signal[] = ['CONT', 'INT', 'TERM', 'STOP', 'KILL'];

export function strongestOf(before: Signal | null, signal: Signal): Signal {
  return before !== null && byStrength.indexOf(before) > byStrength.indexOf(signal) ? before : signal;
}

/**
 * What became of one signal. `gone`: the process had ended, or its pid is another process's by now, and nothing was sent.
 * `refused`: the host does not let this user signal it.
 */
export type SignalAnswer = 'sent' | 'gone' | 'refused';

/** signal.sh with its arguments. Only numbers and fixed words are in them, so nothing has to be quoted. */
export function signalScript(script: string, signal: Signal, targets: readonly ProcessIdentity[]): string {
  return `set -- ${[signal, ...targets.map(wordOf)].join(' ')}\n${script}`;
}

/** The answers for the targets in their order; null for one about which the host said nothing. */
export function readSignalAnswers(
  output: string,
  targets: readonly ProcessIdentity[],
): readonly (SignalAnswer | null)[] {
  const answers = new Map(output.split('\n').map(line => [line.split(' ')[0], line.split(' ')[1]]));
  return targets.map(target => {
    const answer = answers.get(wordOf(target));
    return answer === 'sent' || answer === 'gone' || answer === 'refused' ? answer : null;
  });
}

const wordOf = ({ pid, startTicks }: ProcessIdentity): string => `${pid}:${startTicks}`;
