import { type Disposable, DisposableStore, toDisposable } from '../core/base/disposable';
import { stackOf } from '../core/base/thrown';
import { notConnected, type Failure } from '../core/errors';
import type { HostId } from '../core/host/hostSpec';
import { isUnderWay } from '../core/job/ending';
import { createEndingTeller } from './endingTeller';
import { findGpuMembers, unknownGpuPids } from './gpuMembers';
import type { JobsContext } from './jobs';
import { createLogFollower, type LogFollower } from './logFollower';
import { createLogWatch } from './logWatch';
import type { Connection } from './ports';
import { reconcile } from './reconcile';
import { withScriptRoom, type ScriptRoom } from './scriptRoom';

/** The jobs of one host, from its first connection until it is forgotten. Outlives connections. */
export interface JobSession extends Disposable {
  /** null while the host is not connected. */
  readonly connection: Connection | null;
  readonly follower: LogFollower;
  attach(connection: Connection): Disposable;
  /** The connection, as soon as there is one other than `not`; null when there is none in time. */
  whenConnected(not: Connection | null, withinMs: number, signal?: AbortSignal): Promise<Connection | null>;
  /** Reads the job directory. One reading at a time: who asks during one gets the next. */
  refresh(): Promise<Failure | null>;
  /** The model has changed by something else than a listing: an attempt was launched. */
  attemptsChanged(): void;
}

/** An attempt that begins is looked at often; what cannot be heard by its log (a machine's other windows, a lost supervisor) seldom. */
const beginningMs = 2_000;
const beginningForMs = 60_000;
const seldomMs = 60_000;
const againAfterMs = 30_000;
/** How often what the logs say reaches the model, and GPU processes that are new are asked about. */
const beatMs = 1_000;
const gpuMembersEveryMs = 10_000;

export function createJobSession(host: HostId, context: JobsContext): JobSession {
  const { store, clock, log, scripts, place } = context;
  let connection: Connection | null = null;
  let life = new DisposableStore();
  let disposed = false;
  /** The folder of the attempts, once a listing has named it. */
  let jobs: string | null = null;
  let room: ScriptRoom | null = null;
  let readAtMs = 0;
  let reading: Promise<Failure | null> | null = null;
  let next: Promise<Failure | null> | null = null;
  let timer: Disposable | null = null;
  let askedMembersAtMs = 0;
  const waiting = new Set<() => void>();

  const follower = createLogFollower({ host, clock, log, script: () => scripts.follow(jobs ?? '') });
  const watch = createLogWatch({ host, context, follower, onEnded: () => void session.refresh() });
  const teller = createEndingTeller(host, context);

  const read = async (): Promise<Failure | null> => {
    const over = connection;
    const own = life;
    if (over === null) return notConnected(host);
    readAtMs = clock.nowMs();
    const result = await reconcile({ host, connection: over, scripts, place: place() });
    if (own.isDisposed) return result.kind === 'failed' ? result.failure : null;
    if (result.kind === 'failed') {
      log.warn(`${host}: jobs: ${result.failure.message}`);
      store.dispatch({ kind: 'jobsUnreadable', host, failure: result.failure });
      if (jobs !== null) follow(jobs);
      if (result.failure.retry === 'auto') own.add(clock.after(againAfterMs, () => void session.refresh()));
      return result.failure;
    }
    const listing = { ...result.machine, attempts: result.attempts };
    store.dispatch({ kind: 'jobsListed', host, listing, atMs: clock.nowMs() });
    follow(listing.jobs);
    changed();
    return null;
  };

  /** After the listing, so that it is known which bytes of the logs were written before. */
  const follow = (folder: string): void => {
    const isOther = jobs !== folder;
    jobs = folder;
    room?.follow(isOther);
  };

  const changed = (): void => {
    watch.update();
    if (connection !== null) teller.tell(connection, life);
    timer ??= clock.after(beatMs, beat);
  };

  /** Goes on for as long as anything is under way or waits to be told. */
  const beat = (): void => {
    timer = null;
    if (connection === null) return;
    const nowMs = clock.nowMs();
    watch.publish(nowMs);
    const state = store.state.hosts.get(host);
    const underWay = [...(state?.jobs?.attempts.values() ?? [])].filter(({ attempt }) => isUnderWay(attempt));
    if (underWay.length === 0 && !teller.isWaiting) return;
    const begins = underWay.some(
      ({ attempt }) => attempt.status.kind !== 'running' && nowMs - attempt.spec.createdAtMs < beginningForMs,
    );
    if (nowMs - readAtMs >= (begins ? beginningMs : seldomMs)) void session.refresh();
    if (nowMs - askedMembersAtMs >= gpuMembersEveryMs && unknownGpuPids(state).length > 0) {
      askedMembersAtMs = nowMs;
      findGpuMembers(host, context, connection, life).catch(fail);
    }
    timer = clock.after(beatMs, beat);
  };

  const fail = (error: unknown): void => log.error(`${host}: jobs: ${stackOf(error)}`);

  const session: JobSession = {
    get connection() {
      return connection;
    },
    follower,
    attach(over) {
      life.dispose();
      const own = (life = new DisposableStore());
      const ownRoom = (room = own.add(withScriptRoom(over, clock, () => follower.attach(over))));
      ({ connection } = ownRoom);
      for (const resume of [...waiting]) resume();
      void session.refresh();
      return toDisposable(() => {
        own.dispose();
        if (room === ownRoom) connection = room = null;
      });
    },
    whenConnected(not, withinMs, signal) {
      return new Promise(resolve => {
        const end = (): void => {
          const found = connection !== not ? connection : null;
          if (found === null && !over && !disposed) return;
          waiting.delete(end);
          deadline.dispose();
          signal?.removeEventListener('abort', giveUp);
          resolve(found);
        };
        let over = signal?.aborted === true;
        const giveUp = (): void => {
          over = true;
          end();
        };
        const deadline = clock.after(withinMs, giveUp);
        waiting.add(end);
        signal?.addEventListener('abort', giveUp, { once: true });
        end();
      });
    },
    refresh() {
      if (reading === null) return (reading = guarded());
      // What is being read now may be from before what the caller knows.
      return (next ??= reading.then(() => {
        next = null;
        return session.refresh();
      }));
    },
    attemptsChanged: changed,
    dispose() {
      disposed = true;
      life.dispose();
      connection = null;
      timer?.dispose();
      watch.dispose();
      follower.dispose();
      for (const resume of [...waiting]) resume();
    },
  };

  const guarded = async (): Promise<Failure | null> => {
    try {
      return await read();
    } catch (error) {
      fail(error);
      return null;
    } finally {
      reading = null;
    }
  };

  return session;
}
