import type { AttemptSpec, AttemptStatus, Ended, Outcome, ProcessIdentity, Started } from '../attempt';
import { naturalOf, type KeyValues } from './keyValues';

/** What the job directory holds of one attempt. ARCHITECTURE.md, "The job directory", says who writes what. */
export interface AttemptFiles {
  readonly owner: KeyValues | null;
  readonly started: KeyValues | null;
  readonly refused: KeyValues | null;
  readonly status: KeyValues | null;
  readonly stopping: KeyValues | null;
  /** Which processes of the attempt live. Looked at before the files were read, and only where there was no `status` then. */
  readonly alive: KeyValues;
}

/**
 * Where an attempt is, decided from its files and from what lives. A process of which nothing is known is taken to live:
 * only what is provably gone makes an attempt lost.
 *
 * @param bootId of the host now; null when it cannot be told, and then no reboot is noticed
 */
export function attemptStatus(files: AttemptFiles, spec: AttemptSpec, bootId: string | null): AttemptStatus {
  const format = unknownFormat(files);
  if (format !== null) return { kind: 'unknownFormat', format };

  const started = files.started === null ? null : readStarted(files.started);
  const ended = files.status === null ? null : readEnded(files.status, files.started);
  if (ended !== null) return { kind: 'finished', started, ended, outcome: outcomeOf(files, spec, ended) };

  if (started !== null) {
    if (isOtherBoot(started.bootId, bootId)) return { kind: 'lost', started, reason: 'rebooted' };
    // The supervisor alone: the command has ended, and its end is being written.
    return isGone(files, 'command') && isGone(files, 'supervisor')
      ? { kind: 'lost', started, reason: 'supervisorGone' }
      : { kind: 'running', started };
  }
  if (files.owner === null) return { kind: 'queued' };
  const claimBoot = files.owner.get('owner')?.split(' ')[2] ?? '';
  return isGone(files, 'owner') || isOtherBoot(claimBoot, bootId)
    ? { kind: 'lost', started: null, reason: 'neverStarted' }
    : { kind: 'starting' };
}

/** The first format that is not ours; null when there is none. */
function unknownFormat({ owner, started, refused, status, stopping }: AttemptFiles): string | null {
  for (const file of [owner, started, refused, status, stopping]) {
    const format = file === null ? '1' : (file.get('format') ?? '');
    if (format !== '1') return format;
  }
  return null;
}

const isGone = ({ alive }: AttemptFiles, who: 'owner' | 'supervisor' | 'command'): boolean => alive.get(who) === 'no';

const isOtherBoot = (then: string, now: string | null): boolean => then !== '' && now !== null && then !== now;

function readStarted(file: KeyValues): Started | null {
  const atS = naturalOf(file.get('at'));
  const supervisor = readIdentity(file.get('supervisor'));
  const command = readIdentity(file.get('command'));
  if (atS === null || supervisor === null || command === null) return null;
  return { atS, bootId: file.get('boot_id') ?? '', supervisor, command, log: file.get('log') ?? '' };
}

function readIdentity(text: string | undefined): ProcessIdentity | null {
  const [pid, startTicks] = text?.split(' ').map(word => naturalOf(word)) ?? [];
  return pid == null || startTicks == null ? null : { pid, startTicks };
}

function readEnded(file: KeyValues, started: KeyValues | null): Ended | null {
  const atS = naturalOf(file.get('at'));
  const exitCode = naturalOf(file.get('exit'));
  if (atS === null || exitCode === null) return null;
  const before = naturalOf(started?.get('oom_kill'));
  const after = naturalOf(file.get('oom_kill'));
  const oomKills = before === null || after === null ? null : Math.max(0, after - before);
  return { atS, exitCode, oomKills, peak: null };
}

/** The highest signal of Linux, SIGRTMAX. */
const highestSignal = 64;

function outcomeOf({ refused, stopping, status }: AttemptFiles, spec: AttemptSpec, ended: Ended): Outcome {
  const { atS, exitCode } = ended;
  if (refused !== null) return { kind: 'failedToStart', message: refusal(refused, spec) };
  // Asked to stop after it had ended by itself, it was not stopped.
  if (stopping !== null && (naturalOf(stopping.get('at')) ?? atS) <= atS) {
    return { kind: 'stopped', by: stopping.get('by') ?? '', reason: stopping.get('reason') ?? '' };
  }
  if (exitCode === 0) return { kind: status?.get('detached') === 'yes' ? 'detached' : 'succeeded' };
  const signal = exitCode - 128;
  return signal >= 1 && signal <= highestSignal ? { kind: 'killed', signal } : { kind: 'failed', exitCode };
}

/** Why `run` did not come as far as the command. `runScript.ts` and supervise.sh name the reasons. */
function refusal(file: KeyValues, spec: AttemptSpec): string {
  const detail = file.get('detail') ?? '';
  switch (file.get('reason')) {
    case 'cwd':
      return `The directory ${spec.cwd} cannot be entered.`;
    case 'envFile':
      return 'The file with environment variables cannot be read.';
    case 'setup': {
      const [line = '', code = ''] = detail.split(' ');
      return `Line ${line} of the setup failed with exit code ${code}.`;
    }
    case 'log':
      return 'The log cannot be written.';
    default:
      return 'The command could not be started.';
  }
}
