import type { Clock } from '../core/base/clock';
import type { Failure } from '../core/errors';
import type { HostId } from '../core/host/hostSpec';
import type { ProcessIdentity } from '../core/job/attempt';
import type { AttemptInTable, MarkedProcess, Members } from '../core/job/process/members';
import { isDead, type HostProcess } from '../core/job/process/processTable';
import type { Signal } from '../core/job/process/signalling';
import { nextStop, type StopStage } from '../core/job/process/stopPlan';
import { leftOver, type Survivor } from '../core/job/process/survivors';
import type { Connection } from './ports';
import { stopHost, type Lost, type StopHost } from './stopHost';

export interface StopOptions {
  readonly host: HostId;
  readonly connection: Pick<Connection, 'run'>;
  readonly clock: Clock;
  readonly attempt: AttemptInTable;
  readonly scripts: StopScripts;
  /** How long INT is given before TERM, and TERM before KILL. */
  readonly graceMs?: number;
  /** What the user said about processes that only the marker tells; null while they were not asked. */
  readonly consent: Consent | null;
  readonly onProgress: (progress: StopProgress) => void;
  /** Aborted: wait no longer, kill now. */
  readonly forceNow?: AbortSignal;
  /** Aborted: go no further. What was frozen is let go on. */
  readonly signal?: AbortSignal;
}

/** Scripts as text. The first two are processes.sh and signal.sh; the others write and take back the attempt's `stopping`. */
export interface StopScripts {
  readonly processes: string;
  readonly signal: string;
  readonly announce: string;
  readonly withdraw: string;
}

/** Every process that was listed stands in one of the two. */
export interface Consent {
  readonly agreed: readonly ProcessIdentity[];
  readonly declined: readonly ProcessIdentity[];
}

export type StopProgress =
  | { readonly kind: 'announcing' }
  /** Asked by the signal, and given until then, by our clock. */
  | { readonly kind: 'asked'; readonly signal: 'INT' | 'TERM'; readonly living: number; readonly untilMs: number }
  | { readonly kind: 'killing'; readonly living: number };

export type StopResult =
  /** Nothing of it lives that may be ended in its name. */
  | {
      readonly kind: 'stopped';
      /** The strongest signal that was needed; null when nothing lived any more. */
      readonly by: Signal | null;
      /** False when the folder of the attempt could not be written: its end will look like one of its own. */
      readonly announced: boolean;
      /** Ended, and not yet taken away by their parents. They hold nothing. */
      readonly zombies: readonly Survivor[];
      /** What the user declined, and what turned up since. */
      readonly left: readonly MarkedProcess[];
    }
  /** All that is certain has ended; these are known by the marker alone. Ask, then stop again with the answer. */
  | { readonly kind: 'needsConsent'; readonly marked: readonly MarkedProcess[] }
  | { readonly kind: 'survivors'; readonly survivors: readonly Survivor[] }
  | { readonly kind: 'cancelled'; readonly by: Signal | null }
  /** The link broke. Nobody knows what lives, or is frozen: stopping it again goes on from there. */
  | Lost
  | { readonly kind: 'failed'; readonly failure: Failure };

const defaultGraceMs = 15_000;

/**
 * Ends an attempt: tells its folder, asks by INT and TERM with a grace each, freezes and kills what is left, and looks until
 * nobody is there. Signals only what `membersOf` finds certain in the newest table, and what the user agreed to; never a
 * pid that another program named. Never rejects.
 */
export async function stopAttempt(options: StopOptions): Promise<StopResult> {
  const { clock, graceMs = defaultGraceMs, consent, onProgress, forceNow, signal: cancel } = options;
  const host = stopHost(options);
  let known: readonly ProcessIdentity[] = [];
  let frozen: readonly HostProcess[] = [];

  const giveUp = async (): Promise<StopResult> => {
    const thawed = await host.send('CONT', frozen);
    if (thawed.kind !== 'sent') return thawed;
    const withdrawn = await host.tell(options.scripts.withdraw);
    return withdrawn.kind === 'lost' ? withdrawn : { kind: 'cancelled', by: host.strongest() };
  };

  onProgress({ kind: 'announcing' });
  if (isWished(cancel)) return { kind: 'cancelled', by: null };
  const announced = await host.tell(options.scripts.announce);
  if (announced.kind === 'lost') return announced;

  let stage: StopStage = { kind: 'begin' };
  for (;;) {
    const looked = await host.look({ known, agreed: consent?.agreed ?? [], declined: consent?.declined ?? [] });
    if (looked.kind === 'failed') await host.send('CONT', frozen);
    if (looked.kind !== 'members') return looked;
    const { members } = looked;
    known = members.certain;
    const targets = members.certain.filter(process => !host.hasRefused(process));
    // Too late for one that has ended: it was stopped.
    if (isWished(cancel) && targets.some(process => !isDead(process))) return giveUp();

    const step = nextStop(stage, { targets, nowMs: clock.nowMs(), graceMs, force: isWished(forceNow) });
    stage = step.stage;
    report(stage, targets, graceMs, onProgress);
    const { action } = step;
    if (action.kind === 'over') return resultOf(members, consent, announced.done, host);
    if (action.kind === 'wait') {
      await pause(clock, action.delayMs, [cancel, forceNow]);
      continue;
    }
    if (action.signal === 'STOP') frozen = [...frozen, ...action.targets];
    const sent = await host.send(action.signal, action.targets);
    if (sent.kind !== 'sent') return sent;
    const resumed = await host.send('CONT', action.resume);
    if (resumed.kind !== 'sent') return resumed;
  }
}

function report(
  stage: StopStage,
  targets: readonly HostProcess[],
  graceMs: number,
  onProgress: (progress: StopProgress) => void,
): void {
  const living = targets.filter(process => !isDead(process)).length;
  if (stage.kind === 'asked') {
    onProgress({ kind: 'asked', signal: stage.signal, living, untilMs: stage.sinceMs + graceMs });
  } else if (stage.kind === 'freezing' || stage.kind === 'killing') onProgress({ kind: 'killing', living });
}

function resultOf(members: Members, consent: Consent | null, announced: boolean, host: StopHost): StopResult {
  const survivors = leftOver(members.certain, process => host.hasRefused(process));
  if (survivors.some(({ why }) => why !== 'zombie')) return { kind: 'survivors', survivors };
  const marked = members.markedOnly.filter(({ process }) => !isDead(process));
  if (consent === null && marked.length > 0) return { kind: 'needsConsent', marked };
  return { kind: 'stopped', by: host.strongest(), announced, zombies: survivors, left: marked };
}

const isWished = (wish: AbortSignal | undefined): boolean => wish?.aborted === true;

/** Waits for the time, or until the user wants something new. */
function pause(clock: Clock, delayMs: number, wishes: readonly (AbortSignal | undefined)[]): Promise<void> {
  return new Promise(resolve => {
    const end = (): void => {
      timer.dispose();
      for (const wish of wishes) wish?.removeEventListener('abort', end);
      resolve();
    };
    const timer = clock.after(delayMs, end);
    for (const wish of wishes) wish?.addEventListener('abort', end, { once: true });
  });
}
