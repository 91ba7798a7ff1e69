import type { Clock } from '../core/base/clock';
import type { HostId } from '../core/host/hostSpec';
import type { LookupQuestion } from '../core/job/environment/commandLookup';
import { findNumbers } from '../core/job/command/commandNumbers';
import { findDetaching, type Detaching } from '../core/job/command/detaching';
import { readEnvFile } from '../core/job/environment/envFile';
import { firstWord } from '../core/job/command/firstWord';
import type { AttemptSpec } from '../core/job/attempt';
import { gpuOffer, type GpuOffer } from '../core/job/gpuOffer';
import type { Job } from '../core/job/job';
import { jobEnvironment } from '../core/job/environment/jobEnvironment';
import type { LoginEnvironment } from '../core/job/environment/loginEnvironment';
import { attemptsUnderWay, cardsInUse } from '../core/model/jobSelectors';
import { gpuFreshness } from '../core/model/selectors';
import { formatAge } from '../core/present/format';
import { launchObstacles, setupBroken } from '../core/present/launchObstacles';
import {
  detachingObstacle,
  envFileMissing,
  noSuchGpu,
  runsAlready,
  type Obstacle,
} from '../core/present/launchQuestions';
import type { JobsOptions, Preparation } from './jobs';
import type { LookupResult } from './environment';
import type { Store } from './store';
import type { Connection } from './ports';

/** Two round trips, and what is known already. Nothing is changed on the host. */
export async function prepareLaunch(
  job: Job,
  connection: Connection,
  { store, clock, parser, probe }: Pick<JobsOptions, 'store' | 'clock' | 'parser' | 'probe'>,
  signal?: AbortSignal,
): Promise<Preparation> {
  const shell = await parser();
  const captured = await probe.capture(connection, job.envFile, signal);
  if (captured.kind === 'failed') return captured;
  const login = captured.environment;
  const question = {
    environment: jobEnvironment(login, job.env),
    cwd: job.cwd,
    setup: job.setup,
    word: firstWord(job.run, shell),
  };
  const looked = await probe.lookUp(connection, question, signal);
  if (looked.kind === 'failed') return looked;

  await gpusKnown(job.host, store, clock, signal);
  const state = store.state.hosts.get(job.host);
  const fresh = state === undefined ? ({ kind: 'none' } as const) : gpuFreshness(state, clock.nowMs());
  const gpus = gpuOffer(job.gpus, state === undefined ? [] : cardsInUse(state));
  const isSecond = state !== undefined && attemptsUnderWay(state).some(({ attempt: { spec } }) => isSameJob(spec, job));
  const whole = [...job.setup, job.run].join('\n');
  const badLines = login.file === null ? [] : readEnvFile(login.file).badLines;
  return {
    kind: 'prepared',
    launch: {
      job,
      obstacles: obstaclesOf(job, { looked, question, login, gpus, detaching: findDetaching(whole, shell), isSecond }),
      lookup: looked.kind === 'answered' ? looked.lookup : null,
      gpus,
      numbers: findNumbers(job.run, job.env, shell),
      login,
      notices: [
        ...(login.notice === null ? [] : [login.notice]),
        ...(fresh.kind === 'stale' && job.gpus.kind !== 'unpinned'
          ? [`What is said of the GPUs is from ${formatAge(fresh.ageMs)}.`]
          : []),
        // Not what stands there: it may be a secret.
        ...badLines.map(line => `Line ${line} of ${job.envFile ?? ''} sets no variable.`),
      ],
    },
  };
}

/** A host that was connected just now has not answered yet; one whose tool hangs is not waited for much longer than that. */
const firstReadingWithinMs = 8_000;

function gpusKnown(host: HostId, store: Store, clock: Clock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise(resolve => {
    const isDecided = (): boolean => {
      const gpu = store.state.hosts.get(host)?.watch?.gpu;
      return gpu !== undefined && (gpu.reading !== null || gpu.noTool || gpu.broken !== null);
    };
    const end = (): void => {
      deadline.dispose();
      listening.dispose();
      signal?.removeEventListener('abort', end);
      resolve();
    };
    const deadline = clock.after(isDecided() || signal?.aborted === true ? 0 : firstReadingWithinMs, end);
    const listening = store.onChange(() => {
      if (isDecided()) end();
    });
    signal?.addEventListener('abort', end, { once: true });
  });
}

interface Found {
  readonly looked: Exclude<LookupResult, { readonly kind: 'failed' }>;
  readonly question: LookupQuestion;
  readonly login: LoginEnvironment;
  readonly gpus: GpuOffer;
  readonly detaching: Detaching | null;
  /** It runs there already. */
  readonly isSecond: boolean;
}

/** A command that names its attempt has outputs of its own each time. */
const isSameJob = (spec: AttemptSpec, { name, run, cwd }: Job): boolean =>
  spec.job === name && spec.run === run && spec.cwd === cwd && !run.includes('{attempt}');

function obstaclesOf(job: Job, { looked, question, login, gpus, detaching, isSecond }: Found): readonly Obstacle[] {
  const { host, envFile } = job;
  return [
    ...(detaching === null ? [] : [detachingObstacle(detaching)]),
    ...(envFile !== null && login.fileMissing ? [envFileMissing(host, envFile)] : []),
    ...(gpus.missing.length > 0 ? [noSuchGpu(host, gpus)] : []),
    ...(looked.kind === 'setupBroken' ? [setupBroken(host)] : launchObstacles(host, question, looked.lookup)),
    ...(isSecond ? [runsAlready(host, job.name)] : []),
  ];
}
