import { chmodSync, chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createEnvironmentProbe } from '../../../src/control/environment';
import { createFleet, type Fleet } from '../../../src/control/fleet';
import { createJobs, type Jobs, type LaunchChoices, type LaunchOutcome } from '../../../src/control/jobs';
import type { Log } from '../../../src/control/ports';
import { createStore } from '../../../src/control/store';
import { hostSpec } from '../../../src/core/host/hostSpec';
import type { AttemptId } from '../../../src/core/job/attempt';
import type { AttemptEnding, AttemptStall } from '../../../src/core/job/ending';
import type { Job } from '../../../src/core/job/job';
import type { AttemptState } from '../../../src/core/model/jobsState';
import type { HostState } from '../../../src/core/model/state';
import { systemClock } from '../../../src/editor/systemClock';
import { watchScript } from '../../../src/editor/watchScript';
import { jobScripts } from '../../../src/hosts/jobScripts';
import environmentScript from '../../../src/hosts/scripts/environment.sh';
import lookupScript from '../../../src/hosts/scripts/lookup.sh';
import { createGpuBox, type GpuBox } from '../../support/gpubox/gpubox';
import { signalProcess, until } from '../../support/processes';
import { startSshd, type Sshd } from '../../support/sshd';
import { ensureTestUser, type TestUser } from '../../support/users';
import { markedPids, supervisorPids } from '../job/rig';
import { createRig, makeKey, type Rig } from '../ssh/rig';
import { loadParser } from '../../unit/shell/parser';

/** A real SSH server with the stand-in for four GPUs, and a user who has jobs there. */
export interface JobHost {
  readonly user: TestUser;
  readonly sshd: Sshd;
  readonly box: GpuBox;
  /** The folder that is the setting for the state of jobs; of this test alone. */
  readonly state: string;
  /** A folder that the user may write to. */
  readonly work: string;
  window(): Promise<JobWindow>;
  /** An attempt that was not launched by `JobWindow.launch`, to be ended with the others. */
  track(id: AttemptId): void;
  /** Ends what runs, and closes all windows. For after each test. */
  clear(): Promise<void>;
  dispose(): Promise<void>;
}

/** An editor's window with everything below VS Code. */
export interface JobWindow {
  readonly fleet: Fleet;
  readonly jobs: Jobs;
  readonly endings: AttemptEnding[];
  readonly stalls: AttemptStall[];
  readonly warnings: string[];
  stallAfterMs: number | null;
  /** Connects and waits for the first listing. */
  connect(): Promise<void>;
  host(): HostState;
  attempt(id: AttemptId): AttemptState | undefined;
  attemptWhen(what: string, id: AttemptId, wished: (one: AttemptState) => boolean): Promise<AttemptState>;
  launch(job: Partial<Job>, choices?: Partial<LaunchChoices>): Promise<LaunchOutcome>;
  /** Launches, and gives the id of the attempt that runs now. */
  launched(job: Partial<Job>, choices?: Partial<LaunchChoices>): Promise<AttemptId>;
  /** As when the editor is killed: nothing is said to anybody. */
  close(): void;
}

export const box = hostSpec('box');

export async function startJobHost({ maxSessions = 10 } = {}): Promise<JobHost> {
  const folder = mkdtempSync(join(tmpdir(), 'hr-jobs-'));
  chmodSync(folder, 0o755);
  const user = await ensureTestUser('hr-alice');
  const key = await makeKey(join(folder, 'id'));
  const sshd = await startSshd({ authorizedKeys: { 'hr-alice': [key] }, maxSessions });
  const gpubox = createGpuBox(join(folder, 'box'));
  const own = (name: string): string => {
    const path = mkdtempSync(join(folder, name));
    chownSync(path, user.uid, user.gid);
    return path;
  };
  const work = own('work-');
  const ids = new Set<AttemptId>();
  const rigs: Rig[] = [];
  const windows: JobWindow[] = [];
  let state = own('state-');

  return {
    user,
    sshd,
    box: gpubox,
    work,
    get state() {
      return state;
    },
    track: id => void ids.add(id),
    async window() {
      const config = [`IdentityFile ${join(folder, 'id')}`, 'StrictHostKeyChecking accept-new'];
      const rig = await createRig({ port: sshd.port, user: user.name, config });
      rigs.push(rig);
      const opened = openWindow(rig, { state, work, nvidiaSmi: gpubox.nvidiaSmi, ids });
      windows.push(opened);
      return opened;
    },
    async clear() {
      for (const opened of windows.splice(0)) opened.close();
      for (const rig of rigs.splice(0)) rig.dispose();
      for (const id of ids) for (const pid of [...supervisorPids(id), ...markedPids(id)]) killQuietly(pid);
      await until('nothing of the attempts is left', () =>
        [...ids].every(id => markedPids(id).length + supervisorPids(id).length === 0),
      );
      ids.clear();
      state = own('state-');
    },
    async dispose() {
      await sshd.dispose();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface WindowParts {
  readonly state: string;
  readonly work: string;
  readonly nvidiaSmi: string;
  readonly ids: Set<AttemptId>;
}

function openWindow(rig: Rig, { state, work, nvidiaSmi, ids }: WindowParts): JobWindow {
  const warnings: string[] = [];
  const warn = (message: string): void => void warnings.push(message);
  const log: Log = { info: () => undefined, warn, error: warn };
  const store = createStore(error => warn(String(error)));
  const endings: AttemptEnding[] = [];
  const stalls: AttemptStall[] = [];
  const jobs = createJobs({
    store,
    clock: systemClock,
    log,
    scripts: jobScripts,
    probe: createEnvironmentProbe({
      environmentScript,
      lookupScript,
      nonce: () => crypto.randomUUID().replaceAll('-', ''),
    }),
    parser: loadParser,
    randomBytes: count => crypto.getRandomValues(new Uint8Array(count)),
    notices: {
      ended: told => {
        endings.push(...told);
        return Promise.resolve(true);
      },
      stalled: stall => void stalls.push(stall),
    },
    place: () => ({ state, logs: null }),
    stallAfterMs: () => opened.stallAfterMs,
    graceMs: () => 5_000,
  });
  const { connector } = rig;
  const watch = (): string => watchScript(nvidiaSmi, log);
  const fleet = createFleet({ connector, clock: systemClock, log, watchScript: watch, store, services: [jobs] });
  fleet.setAttention(box.id, 'full');

  const opened: JobWindow = {
    fleet,
    jobs,
    endings,
    stalls,
    warnings,
    stallAfterMs: null,
    async connect() {
      const end = await fleet.connect(box, null);
      if (end.kind !== 'ready') throw new Error(`${JSON.stringify(end)}\n${warnings.join('\n')}`);
      await until('the jobs are listed', () => opened.host().jobs?.readAtMs != null, 10_000);
    },
    host() {
      const host = store.state.hosts.get(box.id);
      if (host === undefined) throw new Error('no host yet');
      return host;
    },
    attempt: id => store.state.hosts.get(box.id)?.jobs?.attempts.get(id),
    attemptWhen: (what, id, wished) =>
      until(
        what,
        () => {
          const one = opened.attempt(id);
          return one !== undefined && wished(one) ? one : null;
        },
        20_000,
      ),
    async launch(job, choices = {}) {
      const prepared = await jobs.prepare({ ...plainJob, cwd: work, ...job });
      if (prepared.kind === 'failed') throw new Error(prepared.failure.message);
      const outcome = await jobs.launch(prepared.launch, { ...noChoices, ...choices });
      if (outcome.kind === 'launched' || outcome.kind === 'waiting') ids.add(outcome.attempt.id);
      return outcome;
    },
    async launched(job, choices) {
      const outcome = await opened.launch(job, choices);
      if (outcome.kind !== 'launched') throw new Error(`${JSON.stringify(outcome)}\n${warnings.join('\n')}`);
      return outcome.attempt.id;
    },
    close() {
      fleet.dispose();
      jobs.dispose();
    },
  };
  return opened;
}

const noChoices: LaunchChoices = { number: null, gpus: null, parent: null, source: null };

export const plainJob: Job = {
  name: 'drafter',
  host: box.id,
  cwd: '/',
  run: 'true',
  setup: [],
  env: new Map(),
  envFile: null,
  gpus: { kind: 'unpinned' },
  parameters: [],
  outputs: [],
  fitsAfter: null,
};

/** A shell command that goes on until the file is there. */
export const untilFile = (file: string): string => `while [ ! -e ${file} ]; do sleep 0.05; done`;

export const logOf = (one: AttemptState): string => join(one.attempt.folder, 'log');

export const readIfThere = (file: string): string => (existsSync(file) ? readFileSync(file, 'utf8') : '');

function killQuietly(pid: number): void {
  try {
    signalProcess(pid, 'SIGKILL');
  } catch {
    // Gone in between.
  }
}
