import type { Clock } from '../core/base/clock';
import type { Disposable } from '../core/base/disposable';
import { stackOf } from '../core/base/thrown';
import { internal, notConnected, type Failure } from '../core/errors';
import type { HostId } from '../core/host/hostSpec';
import type { AttemptId, AttemptSpec } from '../core/job/attempt';
import type { CommandLookup } from '../core/job/environment/commandLookup';
import type { CommandNumber } from '../core/job/command/commandNumbers';
import { isUnderWay, type AttemptEnding, type AttemptStall } from '../core/job/ending';
import type { GpuOffer } from '../core/job/gpuOffer';
import type { Job } from '../core/job/job';
import type { ListedAttempt } from '../core/job/directory/jobDirectory';
import type { LogEvent } from '../core/job/log/logFollow';
import type { LogPoint } from '../core/job/log/logPoint';
import type { LoginEnvironment } from '../core/job/environment/loginEnvironment';
import type { ShellParser } from '../core/job/command/shellSyntax';
import type { Obstacle } from '../core/present/launchQuestions';
import type { EnvironmentProbe } from './environment';
import type { HostService } from './hostSession';
import { createJobSession, type JobSession } from './jobSession';
import type { LogSubscription } from './logFollower';
import type { JobPlace, JobScripts, Log } from './ports';
import { launchPrepared } from './launchPrepared';
import { prepareLaunch } from './prepareLaunch';
import { stopAttempt, type Consent, type StopProgress, type StopResult } from './stopAttempt';
import type { Store } from './store';

/**
 * The jobs of all hosts: launched, found again, followed and stopped. What is known of them stands in the model
 * (`HostState.jobs`). Nothing here rejects: what went wrong is a value.
 */
export interface Jobs extends Disposable, HostService {
  /** Looks at everything that decides whether and how a job can be launched on its host. Changes nothing there. */
  prepare(job: Job, signal?: AbortSignal): Promise<Preparation>;
  /**
   * Launches a job that was prepared. A link that is lost on the way is waited for, and the launch goes on where it was:
   * the job is started once at most.
   */
  launch(prepared: PreparedLaunch, choices: LaunchChoices, signal?: AbortSignal): Promise<LaunchOutcome>;
  stop(host: HostId, attempt: AttemptId, options: StopWish): Promise<StopOutcome>;
  /** Follows the log of any attempt over lost connections, until it is disposed. It may be that the host is not connected now. */
  followLog(host: HostId, attempt: AttemptId, from: LogPoint, listener: (event: LogEvent) => void): LogSubscription;
  /** Reads the job directory now. Resolves when the model has what it says, or why it could not be read. */
  refresh(host: HostId): Promise<Failure | null>;
}

export interface JobsOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly scripts: JobScripts;
  readonly probe: EnvironmentProbe;
  readonly parser: () => Promise<ShellParser>;
  readonly randomBytes: (count: number) => Uint8Array;
  readonly notices: JobNotices;
  /** Settings, asked each time. */
  readonly place: () => JobPlace;
  /** null: silence is never told. */
  readonly stallAfterMs: () => number | null;
  /** How long INT is given before TERM, and TERM before KILL. */
  readonly graceMs: () => number;
}

/** What the parts of the jobs of one host work with. */
export type JobsContext = Pick<
  JobsOptions,
  'store' | 'clock' | 'log' | 'scripts' | 'place' | 'notices' | 'stallAfterMs'
>;

/** Shows things to the user as they happen. */
export interface JobNotices {
  /**
   * Attempts ended: shown together, for they come together after a time without a link. Resolves to true once they are on
   * screen, or muted; false: they could not be shown, and are told another time.
   */
  ended(endings: readonly AttemptEnding[]): Promise<boolean>;
  /** An attempt that runs has not written anything for long. Called once for each silence. */
  stalled(stall: AttemptStall): void;
}

export type Preparation =
  | { readonly kind: 'prepared'; readonly launch: PreparedLaunch }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** What is known before a launch. Whoever launches asks what is to be asked; `core/present/launchQuestions.ts` has the words. */
export interface PreparedLaunch {
  readonly job: Job;
  /** What stands in the way, the gravest first. One that is not passable forbids the launch. */
  readonly obstacles: readonly Obstacle[];
  /** Its command, its folder and its setup lines as the host finds them; null where the setup lets nothing be found. */
  readonly lookup: CommandLookup | null;
  readonly gpus: GpuOffer;
  /** Every number of the command, the most useful first. */
  readonly numbers: readonly CommandNumber[];
  /** Holds secrets: never shown unasked, never logged. */
  readonly login: LoginEnvironment;
  /** Worth a line to the user: why conda may be missing, lines of a file that set nothing. */
  readonly notices: readonly string[];
}

export interface LaunchChoices {
  /** The number that the attempt is about; null when there is none, or the user wants none watched. */
  readonly number: CommandNumber | null;
  /** UUIDs to pin the job to; null: it sees all. */
  readonly gpus: readonly string[] | null;
  /** The attempt whose place it takes. */
  readonly parent: AttemptId | null;
  /** The job file that it is from, and the hash of its content; null for a pasted command. */
  readonly source: AttemptSpec['source'];
}

export type LaunchOutcome =
  /** It runs, or has ended already. */
  | { readonly kind: 'launched'; readonly attempt: ListedAttempt }
  /** It is in place and was not seen to start yet; the model will tell. */
  | { readonly kind: 'waiting'; readonly attempt: ListedAttempt }
  /** Nothing was started: another attempt has taken the place of the parent. */
  | { readonly kind: 'relaunched'; readonly by: AttemptId }
  /** Nothing was started and nothing is left behind. */
  | { readonly kind: 'refused'; readonly failure: Failure }
  /** The link was lost and did not come back in time, or the user gave up: if it was started, the next listing shows it. */
  | { readonly kind: 'unknown'; readonly id: AttemptId; readonly failure: Failure };

export interface StopWish {
  /** For the record in the attempt's folder: who stops it, and why. */
  readonly by: string;
  readonly reason: string;
  /** What the user said about processes that only the marker tells; null while they were not asked. */
  readonly consent: Consent | null;
  readonly onProgress: (progress: StopProgress) => void;
  /** Aborted: wait no longer, kill now. */
  readonly forceNow?: AbortSignal;
  /** Aborted: go no further. */
  readonly signal?: AbortSignal;
}

/** `gone`: there is no such attempt, or nothing of it can be alive on this machine. */
export type StopOutcome = StopResult | { readonly kind: 'gone' };

export function createJobs(options: JobsOptions): Jobs {
  const { store, clock, scripts, log, graceMs } = options;
  const sessions = new Map<HostId, JobSession>();

  const sessionOf = (host: HostId): JobSession => {
    const known = sessions.get(host) ?? createJobSession(host, options);
    sessions.set(host, known);
    return known;
  };

  return {
    attach: (spec, connection) => sessionOf(spec.id).attach(connection),
    forget(host) {
      sessions.get(host)?.dispose();
      sessions.delete(host);
    },
    async prepare(job, signal) {
      const connection = sessions.get(job.host)?.connection ?? null;
      if (connection === null) return { kind: 'failed', failure: notConnected(job.host) };
      try {
        return await prepareLaunch(job, connection, options, signal);
      } catch (error) {
        log.error(`${job.host}: ${stackOf(error)}`);
        return { kind: 'failed', failure: internal(error) };
      }
    },
    async launch(prepared, choices, signal) {
      return launchPrepared(prepared, choices, { ...options, session: sessionOf(prepared.job.host) }, signal);
    },
    async stop(host, id, wish) {
      const session = sessions.get(host);
      const connection = session?.connection ?? null;
      if (session === undefined || connection === null) return { kind: 'failed', failure: notConnected(host) };
      const attempt = store.state.hosts.get(host)?.jobs?.attempts.get(id)?.attempt;
      if (attempt === undefined || attempt.status.kind === 'unknownFormat') return { kind: 'gone' };
      const folder = scripts.stopping(attempt.folder, wish.by, wish.reason);
      if (folder === null) return { kind: 'gone' };
      const { status } = attempt;
      const started = 'started' in status ? status.started : null;
      store.dispatch({ kind: 'stopChanged', host, attempt: id, isStopping: true });
      try {
        return await stopAttempt({
          host,
          connection,
          clock,
          attempt: { id, started },
          scripts: { processes: scripts.processes, signal: scripts.signal, ...folder },
          graceMs: graceMs(),
          ...wish,
        });
      } catch (error) {
        log.error(`${host}: ${stackOf(error)}`);
        return { kind: 'failed', failure: internal(error) };
      } finally {
        store.dispatch({ kind: 'stopChanged', host, attempt: id, isStopping: false });
        void session.refresh();
      }
    },
    followLog(host, attempt, from, listener) {
      const known = store.state.hosts.get(host)?.jobs?.attempts.get(attempt)?.attempt;
      const live = known === undefined || isUnderWay(known);
      const subscription = sessionOf(host).follower.subscribe({ attempt, from, live }, event => {
        if (event.kind === 'ended') subscription.setLive(false);
        listener(event);
      });
      return subscription;
    },
    async refresh(host) {
      return sessions.get(host)?.refresh() ?? notConnected(host);
    },
    dispose() {
      for (const session of sessions.values()) session.dispose();
      sessions.clear();
    },
  };
}
