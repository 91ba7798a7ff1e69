import type { CommandLookup, LookupQuestion, MissingCommand } from '../job/environment/commandLookup';
import { plain } from './plain';

/** Something that would make a launch fail, told before it. */
export interface LaunchObstacle {
  readonly kind: 'loginNode' | 'folderMissing' | 'setupFailed' | 'setupBroken' | 'commandMissing';
  /** What is the matter, one sentence. */
  readonly message: string;
  readonly advice: string;
  /** Launching all the same can make sense: the command may make what is missing. */
  readonly passable: boolean;
}

/** What stands in the way of a job on a host, the gravest first; empty when nothing does. */
export function launchObstacles(
  host: string,
  question: LookupQuestion,
  lookup: CommandLookup,
): readonly LaunchObstacle[] {
  const obstacles: LaunchObstacle[] = [];
  if (lookup.loginNodeOf !== null) {
    obstacles.push({
      kind: 'loginNode',
      message: `${host} has no GPU: it is a machine from which jobs are handed to others by ${plain(lookup.loginNodeOf)}.`,
      advice: 'Schedulers are not supported yet: launch on a machine with GPUs that you may use directly.',
      passable: false,
    });
  }
  if (lookup.folderMissing) {
    obstacles.push({
      kind: 'folderMissing',
      message: `The folder ${plain(question.cwd)} is not on ${host}, or may not be entered.`,
      advice: 'Choose another folder, or make this one there.',
      passable: false,
    });
  }
  for (const { line, code } of lookup.failedSetup) {
    obstacles.push({
      kind: 'setupFailed',
      message: `The setup line ${line + 1}, “${plain(question.setup[line] ?? '')}”, ends with code ${code} on ${host}.`,
      advice: `Try it in ${plain(question.cwd)} there, and correct it.`,
      passable: true,
    });
  }
  if (lookup.command?.kind === 'missing') obstacles.push(missing(host, lookup.command));
  return obstacles;
}

/** The setup lines hang, leave the shell, or are no whole shell text. */
export const setupBroken = (host: string): LaunchObstacle => ({
  kind: 'setupBroken',
  message: `The setup lines do not come to their end on ${host}.`,
  advice: 'One of them hangs, leaves the shell by “exit”, or has a quote or “if” without its end.',
  passable: false,
});

function missing(host: string, { word, candidates }: MissingCommand): LaunchObstacle {
  const [nearest] = candidates;
  return {
    kind: 'commandMissing',
    message: `There is no ${plain(word)} on ${host} in the environment of the job.`,
    advice:
      nearest === undefined
        ? 'Check the spelling, or load what brings it in “setup”.'
        : `It is in ${plain(nearest)}: ${activation(nearest)}.`,
    passable: true,
  };
}

/** How to come by what lies in an environment that is not active. */
function activation(path: string): string {
  // `conda activate` is a function of interactive shells; this script of conda's does the same anywhere.
  const [, base, name] =
    /^(.*\/(?:\w+conda3|conda|miniforge3|mambaforge))\/envs\/([\w.-]+)\/bin\/[^/]+$/.exec(path) ?? [];
  if (base !== undefined && name !== undefined) return `put “source ${plain(base)}/bin/activate ${name}” into “setup”`;
  const folder = path.slice(0, path.lastIndexOf('/'));
  if (/\/\.?v?env\/bin$/.test(folder)) return `put “source ${plain(folder)}/activate” into “setup”`;
  return 'write this path in the command';
}
