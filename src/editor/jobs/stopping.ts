import { l10n, ProgressLocation, window } from 'vscode';
import type { Jobs, StopOutcome } from '../../control/jobs';
import type { Consent, StopProgress } from '../../control/stopAttempt';
import type { Clock } from '../../core/base/clock';
import type { MarkedProcess } from '../../core/job/process/members';
import type { HostProcess } from '../../core/job/process/processTable';
import type { Survivor } from '../../core/job/process/survivors';
import { formatDuration } from '../../core/present/format';
import { plain } from '../../core/present/plain';
import type { AttemptOfCommand } from './attemptOfCommand';

export interface Stopping {
  /** Asks, stops the attempt with all that belongs to it, and says what is left. */
  stop(target: AttemptOfCommand): Promise<void>;
}

export function createStopping(jobs: Jobs, clock: Clock): Stopping {
  const attemptStop = (target: AttemptOfCommand, consent: Consent | null): Promise<StopOutcome> => {
    const { attempt } = target.state;
    const name = plain(attempt.spec.job);
    const title = l10n.t('Stopping {0}', name);
    const force = new AbortController();
    let offered = false;
    return Promise.resolve(
      window.withProgress(
        { location: ProgressLocation.Notification, title, cancellable: true },
        async (progress, token) => {
          const abort = new AbortController();
          const cancelling = token.onCancellationRequested(() => abort.abort());
          const onProgress = (step: StopProgress): void => {
            progress.report({ message: stepWords(step, clock.nowMs()) });
            if (step.kind !== 'asked' || offered) return;
            offered = true;
            void offerForce(name, force);
          };
          try {
            return await jobs.stop(target.host, attempt.id, {
              by: 'user',
              reason: 'stopped in the editor',
              consent,
              onProgress,
              forceNow: force.signal,
              signal: abort.signal,
            });
          } finally {
            cancelling.dispose();
          }
        },
      ),
    );
  };

  return {
    async stop(target) {
      if (!(await confirmed(target))) return;
      const outcome = await attemptStop(target, null);
      if (outcome.kind !== 'needsConsent') return tell(outcome, target);
      const consent = await askForConsent(outcome.marked, plain(target.state.attempt.spec.job));
      if (consent !== undefined) tell(await attemptStop(target, consent), target);
    },
  };
}

async function confirmed({ host, state: { attempt } }: AttemptOfCommand): Promise<boolean> {
  const stop = l10n.t('Stop');
  const message = l10n.t('Stop {0} on {1}?', plain(attempt.spec.job), plain(host));
  const detail = l10n.t(
    'It is asked to end first, and has time to save what it has. What it has written stays where it is.',
  );
  return (await window.showWarningMessage(message, { modal: true, detail }, stop)) === stop;
}

async function offerForce(name: string, force: AbortController): Promise<void> {
  const now = l10n.t('Force Now');
  const message = l10n.t('{0} has been asked to end, and is given time to save what it has.', name);
  if ((await window.showInformationMessage(message, now)) === now) force.abort();
}

function stepWords(step: StopProgress, nowMs: number): string {
  switch (step.kind) {
    case 'announcing':
      return l10n.t('looking for its processes');
    case 'asked':
      return l10n.t(
        'asked by {0}, {1} of its processes live, {2} left',
        step.signal,
        step.living,
        formatDuration(Math.max(0, step.untilMs - nowMs)),
      );
    case 'killing':
      return l10n.t('ending {0} processes by force', step.living);
  }
}

/** Processes that only the marker in their environment ties to the job: none is chosen beforehand. */
async function askForConsent(marked: readonly MarkedProcess[], name: string): Promise<Consent | undefined> {
  const items = marked.map(({ process, proposed }) => ({
    label: processWords(process),
    description: proposed ? l10n.t('started by the job') : l10n.t('may keep other work going'),
    process,
  }));
  const chosen = await window.showQuickPick(items, {
    canPickMany: true,
    ignoreFocusOut: true,
    title: l10n.t('Stop {0}', name),
    placeHolder: l10n.t('These carry the mark of the job and may be somebody’s work. Choose which to stop too'),
  });
  if (chosen === undefined) return undefined;
  const agreed = chosen.map(({ process }) => process);
  const declined = marked.map(({ process }) => process).filter(process => !agreed.includes(process));
  return { agreed, declined };
}

const processWords = ({ pid, comm }: HostProcess): string => l10n.t('{0} (pid {1})', plain(comm), pid);

function tell(outcome: StopOutcome, { host, state }: AttemptOfCommand): void {
  const name = plain(state.attempt.spec.job);
  switch (outcome.kind) {
    case 'stopped':
      // That it has ended is told with the other endings.
      if (outcome.left.length === 0) return;
      void window.showInformationMessage(
        l10n.t('{0} was stopped. Left alone: {1}', name, list(outcome.left.map(({ process }) => process))),
      );
      return;
    case 'survivors':
      void window.showErrorMessage(
        l10n.t('Not all of {0} could be stopped: {1}', name, outcome.survivors.map(survivorWords).join('; ')),
      );
      return;
    case 'gone':
      void window.showInformationMessage(l10n.t('{0} does not run any more.', name));
      return;
    case 'lost':
      void window.showWarningMessage(
        l10n.t(
          'The link to {0} was lost while {1} was being stopped. Stop it again when it is back.',
          plain(host),
          name,
        ),
      );
      return;
    case 'failed':
      void window.showErrorMessage(plain(`${outcome.failure.message} ${outcome.failure.advice}`, 600));
      return;
    case 'cancelled':
    case 'needsConsent':
      return;
  }
}

const mostNamed = 8;

function list(processes: readonly HostProcess[]): string {
  const named = processes.slice(0, mostNamed).map(processWords).join(', ');
  return processes.length > mostNamed ? l10n.t('{0} and {1} more', named, processes.length - mostNamed) : named;
}

function survivorWords({ process, why }: Survivor): string {
  const reasons = {
    zombie: l10n.t('has ended and waits for its parent'),
    unkillable: l10n.t('waits in the kernel, where no signal reaches it'),
    refused: l10n.t('runs as a user whose processes may not be signalled'),
    alive: l10n.t('goes on for no reason that can be seen'),
  };
  return `${processWords(process)} ${reasons[why]}`;
}
