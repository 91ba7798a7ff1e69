import { l10n } from 'vscode';
import type { Fleet } from '../../control/fleet';
import type { Jobs } from '../../control/jobs';
import type { Log } from '../../control/ports';
import type { Clock } from '../../core/base/clock';
import { type Disposable, DisposableStore } from '../../core/base/disposable';
import { stackOf } from '../../core/base/thrown';
import { isUnderWay } from '../../core/job/ending';
import type { HostSpec } from '../../core/host/hostSpec';
import { savedJob } from '../../core/job/command/savedJob';
import type { ShellParser } from '../../core/job/command/shellSyntax';
import type { AttemptState } from '../../core/model/jobsState';
import { newestAttempts, recentCommands } from '../../core/present/recentCommands';
import { registerCommand, type CommandHandler } from '../commandRegistry';
import { copyAttemptId } from '../commands/copyAttemptId';
import { exportRecords } from '../commands/exportRecords';
import { launchCommand } from '../commands/launchCommand';
import { launchJob } from '../commands/launchJob';
import { launchScript } from '../commands/launchScript';
import { launchSelection } from '../commands/launchSelection';
import { refreshJobs } from '../commands/refreshJobs';
import { saveJob } from '../commands/saveJob';
import { showJobs } from '../commands/showJobs';
import { showLog } from '../commands/showLog';
import { stopJob } from '../commands/stopJob';
import type { Connecting } from '../connecting';
import { type CommandId, commandIds } from '../ids';
import { attemptOfCommand, type AttemptOfCommand } from './attemptOfCommand';
import { askForCommand } from './commandToLaunch';
import { createJobFiles } from './jobFiles';
import { pickJob } from './jobToLaunch';
import { createLaunching } from './launching';
import type { LogTerminals } from './logTerminal';
import { createStopping } from './stopping';
import { createTextLaunching } from './textLaunching';
import { whenTrusted } from './trust';

export interface JobCommandsOptions {
  readonly fleet: Fleet;
  readonly jobs: Jobs;
  readonly clock: Clock;
  readonly log: Log;
  readonly parser: () => Promise<ShellParser>;
  readonly connecting: Connecting;
  readonly terminals: LogTerminals;
  /** Lets the user choose a host; undefined when they did not. */
  readonly pickHost: () => Promise<HostSpec | undefined>;
}

/** Registers what can be done with jobs. Whatever launches needs trust; looking and stopping do not. */
export function registerJobCommands(options: JobCommandsOptions): Disposable {
  const { fleet, jobs, clock, log, parser, connecting, terminals, pickHost } = options;
  const owned = new DisposableStore();
  const on = (id: CommandId, handler: CommandHandler): void => void owned.add(registerCommand(id, log, handler));
  const state = () => fleet.store.state;

  const files = owned.add(createJobFiles(error => log.error(stackOf(error))));
  const launching = createLaunching({ fleet, jobs, connecting, parser, terminals });
  const launchText = createTextLaunching({
    fleet,
    launching,
    parser,
    connectFirst: async () => {
      const host = await pickHost();
      if (host !== undefined) await connecting.connect(host);
      return host;
    },
  });
  const pickAttempt =
    (applies: (attempt: AttemptState) => boolean, placeHolder: string) =>
    (row: unknown): Promise<AttemptOfCommand | undefined> =>
      attemptOfCommand(row, state(), applies, placeHolder);
  const earlierOn = (host: string) =>
    newestAttempts(state()).flatMap(attempt => (attempt.host === host ? [attempt.spec] : []));

  on(commandIds.launchCommand, whenTrusted(launchCommand(() => askForCommand(recentCommands(state())), launchText)));
  on(commandIds.launchSelection, whenTrusted(launchSelection(launchText)));
  on(commandIds.launchScript, whenTrusted(launchScript(launchText)));
  on(commandIds.launchJob, whenTrusted(launchJob(() => pickJob(files, earlierOn), launching)));
  on(
    commandIds.saveJob,
    whenTrusted(
      saveJob(
        pickAttempt(() => true, l10n.t('Choose the job to save')),
        async ({ host, state: { attempt } }) => savedJob(attempt.spec, host, await parser()),
        files,
      ),
    ),
  );
  on(
    commandIds.stopJob,
    stopJob(
      pickAttempt(({ attempt }) => isUnderWay(attempt), l10n.t('Choose the job to stop')),
      createStopping(jobs, clock),
    ),
  );
  on(
    commandIds.showLog,
    showLog(
      pickAttempt(() => true, l10n.t('Choose the job whose log is shown')),
      terminals,
    ),
  );
  on(commandIds.copyAttemptId, copyAttemptId(pickAttempt(() => true, l10n.t('Choose the attempt'))));
  on(commandIds.showJobs, showJobs());
  on(commandIds.refreshJobs, refreshJobs(fleet, jobs));
  on(commandIds.exportRecords, exportRecords(state));
  return owned;
}
