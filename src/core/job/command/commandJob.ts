import type { AttemptSpec } from '../attempt';
import { findNumbers } from './commandNumbers';
import { defaultJobName } from './commandText';
import type { Job } from '../job';
import { withoutNumbers } from './numberBefore';
import type { ShellParser } from './shellSyntax';

/**
 * The job of a pasted command. One that was launched in the same place before, whatever its numbers were then, keeps its
 * name, so that its attempts stand together.
 *
 * @param earlier the attempts of the host, the newest first
 */
export function commandJob(
  command: Pick<Job, 'run' | 'host' | 'cwd'>,
  earlier: readonly Pick<AttemptSpec, 'job' | 'run' | 'cwd'>[],
  parser: ShellParser,
): Job {
  const keyOf = (run: string): string => withoutNumbers(run, findNumbers(run, new Map(), parser));
  const key = keyOf(command.run);
  const same = earlier.find(({ run, cwd }) => cwd === command.cwd && keyOf(run) === key);
  const taken = earlier.map(({ job }) => job);
  return {
    ...command,
    name: same?.job ?? defaultJobName(command.run, taken, parser),
    setup: [],
    env: new Map(),
    envFile: null,
    gpus: { kind: 'unpinned' },
    parameters: [],
    outputs: [],
    fitsAfter: null,
  };
}
