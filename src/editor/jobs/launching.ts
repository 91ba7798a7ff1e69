import { l10n, ProgressLocation, window } from 'vscode';
import type { Fleet } from '../../control/fleet';
import type { Jobs, LaunchOutcome, PreparedLaunch } from '../../control/jobs';
import type { Failure } from '../../core/errors';
import type { HostId, HostSpec } from '../../core/host/hostSpec';
import type { AttemptSpec } from '../../core/job/attempt';
import { type CommandNumber, numberOf } from '../../core/job/command/commandNumbers';
import type { Job } from '../../core/job/job';
import { numberBefore } from '../../core/job/command/numberBefore';
import { replaceWord } from '../../core/job/command/replaceWord';
import type { ShellParser } from '../../core/job/command/shellSyntax';
import { interpreterText } from '../../core/present/launchQuestions';
import { plain } from '../../core/present/plain';
import { newestAttempts } from '../../core/present/recentCommands';
import type { Connecting } from '../connecting';
import { gpusToUse } from './gpusToUse';
import type { LogTerminals } from './logTerminal';
import { askForNumber } from './numberToWatch';
import { tellObstacles } from './obstacles';

export interface Launching {
  /** Connects if need be, asks what has to be asked, launches, and says what came of it. */
  launch(job: Job, host: HostSpec, source: AttemptSpec['source']): Promise<void>;
}

export interface LaunchingOptions {
  readonly fleet: Fleet;
  readonly jobs: Jobs;
  readonly connecting: Connecting;
  readonly parser: () => Promise<ShellParser>;
  readonly terminals: LogTerminals;
}

export function createLaunching(options: LaunchingOptions): Launching {
  const { fleet, jobs, connecting, parser, terminals } = options;

  const isConnected = (host: HostId): boolean => fleet.store.state.hosts.get(host)?.connection.kind === 'ready';

  const prepare = async (job: Job): Promise<PreparedLaunch | undefined> => {
    const title = l10n.t('Looking at {0} before {1} is launched', plain(job.host), plain(job.name));
    const prepared = await cancellable(title, signal => jobs.prepare(job, signal));
    if (prepared.kind === 'failed') {
      tellFailure(prepared.failure);
      return undefined;
    }
    const { launch } = prepared;
    const after = await tellObstacles(launch);
    if (after.kind !== 'useInstead') return after.kind === 'goOn' ? launch : undefined;
    const run = replaceWord(job.run, after.word, after.path, await parser());
    // A word that is not found is not asked about for ever.
    return run === job.run ? launch : prepare({ ...job, run });
  };

  const number = async ({ job, numbers, lookup, login }: PreparedLaunch): Promise<CommandNumber | null | undefined> => {
    const found = interpreterText(lookup, login);
    const named = job.parameters.flatMap(({ place }) => numberOf(numbers, place) ?? []);
    if (job.parameters.length > 0) return named.length > 1 ? askForNumber(job.name, found, named) : (named[0] ?? null);
    const known = numbers.filter(({ value }) => value !== null);
    if (known.length === 0) return null;
    const earlier = newestAttempts(fleet.store.state).map(({ spec }) => spec);
    const before = numberBefore(job.run, numbers, earlier, await parser());
    if (before.kind === 'chosen') return before.number;
    return askForNumber(job.name, found, known);
  };

  return {
    async launch(job, host, source) {
      if (!isConnected(host.id)) await connecting.connect(host);
      if (!isConnected(host.id)) return;
      const prepared = await prepare(job);
      if (prepared === undefined) return;
      const gpus = await gpusToUse(prepared.gpus);
      if (gpus === undefined) return;
      const chosen = await number(prepared);
      if (chosen === undefined) return;
      const title = l10n.t('Launching {0} on {1}', plain(job.name), plain(host.id));
      const choices = { number: chosen, gpus, parent: null, source };
      const outcome = await cancellable(title, signal => jobs.launch(prepared, choices, signal));
      void tellOutcome(outcome, prepared, () => {
        if (outcome.kind !== 'launched' && outcome.kind !== 'waiting') return;
        terminals.show({ host: host.id, attempt: outcome.attempt.id, job: job.name });
      });
    },
  };
}

function cancellable<T>(title: string, task: (signal: AbortSignal) => Promise<T>): Promise<T> {
  return Promise.resolve(
    window.withProgress({ location: ProgressLocation.Notification, title, cancellable: true }, async (_, token) => {
      const abort = new AbortController();
      const cancelling = token.onCancellationRequested(() => abort.abort());
      try {
        return await task(abort.signal);
      } finally {
        cancelling.dispose();
      }
    }),
  );
}

async function tellOutcome(outcome: LaunchOutcome, { job, notices }: PreparedLaunch, show: () => void): Promise<void> {
  const name = plain(job.name);
  const host = plain(job.host);
  switch (outcome.kind) {
    case 'launched':
    case 'waiting': {
      const log = l10n.t('Show Log');
      const words =
        outcome.kind === 'launched'
          ? l10n.t('{0} was launched on {1}. It runs on when you close this window.', name, host)
          : l10n.t('{0} is in place on {1} and has not begun yet.', name, host);
      const said = [words, ...notices.map(notice => plain(notice, 300))].join(' ');
      if ((await window.showInformationMessage(said, log)) === log) show();
      return;
    }
    case 'relaunched':
      void window.showWarningMessage(l10n.t('Nothing was launched: another attempt of {0} has taken its place.', name));
      return;
    case 'refused':
      return tellFailure(outcome.failure);
    case 'unknown':
      void window.showWarningMessage(
        l10n.t(
          'Nobody knows whether {0} was launched: {1} If it was, it shows up when {2} is connected again.',
          name,
          plain(outcome.failure.message, 300),
          host,
        ),
      );
  }
}

function tellFailure({ kind, message, advice }: Failure): void {
  if (kind !== 'cancelled') void window.showErrorMessage(plain(`${message} ${advice}`, 600));
}
