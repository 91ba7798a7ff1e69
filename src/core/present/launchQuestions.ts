import type { CommandLookup } from '../job/environment/commandLookup';
import type { CommandNumber } from '../job/command/commandNumbers';
import type { Detaching } from '../job/command/detaching';
import type { GpuChoice, GpuOffer } from '../job/gpuOffer';
import type { LoginEnvironment } from '../job/environment/loginEnvironment';
import { formatGiB, formatGiBOf, joinParts } from './format';
import type { LaunchObstacle } from './launchObstacles';
import { plain } from './plain';

/** Something that would make a launch fail or mean something else, told before it. */
export interface Obstacle extends Omit<LaunchObstacle, 'kind'> {
  readonly kind: LaunchObstacle['kind'] | 'detaching' | 'envFileMissing' | 'noSuchGpu' | 'runsAlready';
}

export const detachingObstacle = ({ what, advice }: Detaching): Obstacle => ({
  kind: 'detaching',
  message: `“${plain(what)}” hands its work to something else and comes back at once: it could be neither followed nor stopped.`,
  advice: plain(advice, 300),
  passable: false,
});

export const envFileMissing = (host: string, file: string): Obstacle => ({
  kind: 'envFileMissing',
  message: `The file of variables ${plain(file)} is not on ${plain(host)}, or cannot be read.`,
  advice: 'Correct its path in “envFile”: it begins with / or ~, or is relative to the folder of the job.',
  passable: false,
});

export const noSuchGpu = (host: string, { missing, choices }: GpuOffer): Obstacle => ({
  kind: 'noSuchGpu',
  message: `${plain(host)} has no ${gpuList(missing)}.`,
  advice:
    choices.length === 0
      ? 'Its GPUs are not known: see what stands at the host in the Hosts view.'
      : `Choose among ${gpuList(choices.map(({ index }) => index))} in “gpus”.`,
  passable: false,
});

export const runsAlready = (host: string, job: string): Obstacle => ({
  kind: 'runsAlready',
  message: `${plain(job)} is running on ${plain(host)} already, with the same command in the same folder.`,
  advice:
    'A second one may write into the outputs of the first. Stop that one first, or put {attempt} into the path of the outputs.',
  passable: true,
});

/** A row of a quick pick: description is the value, detail the reason. */
export interface Choice {
  readonly label: string;
  readonly description: string;
  readonly detail: string | null;
}

/** "Which number?": one row for each number of a command, in their order. */
export function numberChoices(
  numbers: readonly CommandNumber[],
): readonly (Choice & { readonly number: CommandNumber })[] {
  return numbers.map(number => ({
    number,
    label: plain(number.name, 60),
    description: number.bare ? 'without a number' : plain(number.text, 40),
    detail: number.knob === null ? null : knobWords(number.knob),
  }));
}

function knobWords({ memory, direction }: NonNullable<CommandNumber['knob']>): string {
  const what = memory === 'gpu' ? 'GPU memory' : 'host memory';
  return direction === 'smallerSavesMemory' ? `Smaller saves ${what}` : `Larger saves ${what}`;
}

/** A row for each card: what is free on it, and who has it. */
export function gpuChoices(
  offer: GpuOffer,
): readonly (Choice & { readonly gpu: GpuChoice; readonly picked: boolean })[] {
  return offer.choices.map(gpu => ({
    gpu,
    label: `GPU ${gpu.index}`,
    description: joinParts([
      gpu.isFree && gpu.attempts.length === 0 ? 'free' : 'in use',
      gpu.freeBytes === null ? null : `${formatGiBOf(gpu.freeBytes, gpu.totalBytes)} free`,
    ]),
    detail: whoIsOn(gpu),
    picked: offer.proposed?.includes(gpu.uuid) ?? false,
  }));
}

/** What has to be asked about the cards; null when nothing has. */
export function gpuQuestionText({ question, wish }: GpuOffer): string | null {
  switch (question?.kind) {
    case undefined:
      return null;
    case 'tooFewFree':
      return `${question.free} of the ${question.wanted} GPUs that the job wants are free. Choose its GPUs.`;
    case 'shared': {
      const jobs = [...new Set(question.gpus.flatMap(gpu => gpu.attempts.map(({ job }) => plain(job, 40))))];
      const where = gpuList(question.gpus.map(({ index }) => index));
      const sees = wish.kind === 'unpinned' ? ' The job is not pinned to GPUs and may take any.' : '';
      return `${jobs.join(', ')} of yours ${jobs.length === 1 ? 'runs' : 'run'} on ${where}.${sees}`;
    }
  }
}

/** What runs the command, before the first launch: "python is /home/mia/.venv/bin/python3.11". null when nobody can tell. */
export function interpreterText(lookup: CommandLookup | null, login: Pick<LoginEnvironment, 'shell'>): string | null {
  const command = lookup?.command ?? null;
  if (command?.kind !== 'found') return null;
  const target = command.realPath === null ? '' : `, which is ${plain(command.realPath, 200)}`;
  const runner = command.interpreter === null ? '' : `, run by ${plain(command.interpreter, 200)}`;
  const shell = plain(login.shell.slice(login.shell.lastIndexOf('/') + 1), 40);
  return `Runs ${plain(command.path, 200)}${target}${runner}, in the environment of your ${shell || 'login shell'}.`;
}

/** "GPU 2", "GPUs 0–3", "GPUs 0, 2 and 5". */
export function gpuList(indices: readonly number[]): string {
  const sorted = [...indices].sort((one, other) => one - other);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return 'no GPU';
  if (sorted.length === 1) return `GPU ${first}`;
  if (sorted.length > 2 && last - first === sorted.length - 1) return `GPUs ${first}–${last}`;
  return `GPUs ${sorted.slice(0, -1).join(', ')} and ${last}`;
}

function whoIsOn({ owners, attempts, freeBytes, totalBytes }: GpuChoice): string | null {
  const jobs = attempts.map(({ job }) => `your job ${plain(job, 40)}`);
  const users = owners.map(owner => plain(owner, 40));
  const who = [...jobs, ...users].join(', ');
  if (who !== '') return `Used by ${who}`;
  const used = freeBytes === null || totalBytes === null ? 0 : totalBytes - freeBytes;
  return used > 2 ** 30 ? `${formatGiB(used)} used by nobody that can be seen` : null;
}
