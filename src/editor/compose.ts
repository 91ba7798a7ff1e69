import { l10n, window, type ExtensionContext } from 'vscode';
import { createFleet, type Fleet } from '../control/fleet';
import type { Log } from '../control/ports';
import { createStore } from '../control/store';
import { type Disposable, DisposableStore } from '../core/base/disposable';
import { messageOf, stackOf } from '../core/base/thrown';
import { parseHostSpec } from '../core/host/hostSpec';
import { hostsTree } from '../core/present/hostsTree';
import { jobsTree } from '../core/present/jobsTree';
import type { State } from '../core/model/state';
import { plain } from '../core/present/plain';
import { statusBar } from '../core/present/statusBar';
import { createAttentionKeeper } from './attention';
import { registerCommand } from './commandRegistry';
import { connectHost } from './commands/connectHost';
import { copyDiagnostics } from './commands/copyDiagnostics';
import { disconnectHost } from './commands/disconnectHost';
import { forgetHost } from './commands/forgetHost';
import { reconnectHost } from './commands/reconnectHost';
import { showHosts } from './commands/showHosts';
import { showOutput } from './commands/showOutput';
import { createConnecting } from './connecting';
import { pickHostToConnect } from './hostToConnect';
import { createContextKeys } from './contextKeys';
import { createFailureToasts } from './failureToasts';
import { createNodesView } from './nodesView';
import { registerJobCommands } from './jobs/jobCommands';
import { createJobsService } from './jobs/jobsService';
import { createJobToasts } from './jobs/jobToasts';
import { createLogTerminals } from './jobs/logTerminal';
import { createShellParser } from './jobs/shellParser';
import { commandIds, contextKeys, viewIds } from './ids';
import { outputLog } from './outputLog';
import { createPrompts } from './prompts';
import { createRefresher } from './refresher';
import { createRememberedHosts, type RememberedHosts } from './rememberedHosts';
import { nvidiaSmiPath } from './settings';
import { createSshHosts } from './sshHosts';
import { createStatusBarView } from './statusBarView';
import { systemClock } from './systemClock';
import { watchScript } from './watchScript';
import { windowHost } from './windowHost';

/** Activation. If it fails, the user reads why instead of finding commands that do nothing. */
export function start(context: ExtensionContext): void {
  try {
    compose(context);
  } catch (error) {
    void window.showErrorMessage(l10n.t('Headroom could not start: {0}', plain(messageOf(error), 300)));
    throw error;
  }
}

/** Builds everything, top to bottom. Nothing here waits: what takes time happens after activation. */
function compose(context: ExtensionContext): void {
  // Disposed in reverse, so that what is built upon goes last: the log hears everything.
  const owned = new DisposableStore();
  context.subscriptions.push(owned);
  const own = <T extends Disposable>(item: T): T => owned.add(item);
  const clock = systemClock;
  const channel = own(window.createOutputChannel('Headroom', { log: true }));
  const log = outputLog(channel);
  const logError = (error: unknown): void => log.error(stackOf(error));

  const ssh = createSshHosts(context.extensionPath, log);
  const parser = createShellParser(context.extensionPath);
  const store = createStore(error => log.error(`A view failed: ${stackOf(error)}`));
  const toasts = createJobToasts(opened => terminals.show(opened), logError);
  const jobs = own(createJobsService({ store, clock, log, parser, notices: toasts }));
  const terminals = own(createLogTerminals(jobs));
  const fleet = own(
    createFleet({
      connector: ssh.connector,
      clock,
      log,
      watchScript: () => watchScript(nvidiaSmiPath(), log),
      store,
      services: [jobs],
    }),
  );

  const statusBarView = own(createStatusBarView());
  const hostsView = own(createNodesView(viewIds.hosts, clock));
  const jobsView = own(createNodesView(viewIds.jobs, clock));
  const setContextKey = createContextKeys();
  const attention = own(
    createAttentionKeeper({
      clock,
      isTreeVisible: () => hostsView.isVisible || jobsView.isVisible,
      setAttention: (host, level) => fleet.setAttention(host, level),
      onChange: () => refresher.refresh(),
    }),
  );
  const refresher = own(
    createRefresher({
      clock,
      store: fleet.store,
      isWindowInUse: () => attention.isWindowInUse,
      draw: (state, nowMs) => {
        attention.update(state);
        setContextKey(contextKeys.hasHosts, state.hosts.size > 0);
        setContextKey(contextKeys.hasJobs, hasJobs(state));
        statusBarView.show(statusBar(state, nowMs), nowMs);
        // Hidden, it is not even built: it is drawn when it comes into view.
        if (hostsView.isVisible) hostsView.show(hostsTree(state, nowMs));
        if (jobsView.isVisible) jobsView.show(jobsTree(state, nowMs));
      },
    }),
  );
  own(hostsView.onVisibilityChanged(() => refresher.refresh()));
  own(jobsView.onVisibilityChanged(() => refresher.refresh()));

  const remembered = createRememberedHosts(context.workspaceState);
  const connecting = createConnecting({
    fleet,
    prompts: createPrompts(),
    remembered,
    toasts: createFailureToasts(),
    onError: logError,
  });
  const pick = () =>
    pickHostToConnect({
      state: fleet.store.state,
      windowHost: windowHost(),
      listAliases: ssh.listAliases,
      onError: logError,
    });
  const { version } = context.extension.packageJSON as { readonly version: string };

  own(registerCommand(commandIds.connectHost, log, connectHost(pick, connecting)));
  own(registerCommand(commandIds.disconnectHost, log, disconnectHost(fleet, remembered)));
  own(registerCommand(commandIds.reconnectHost, log, reconnectHost(fleet, connecting)));
  own(registerCommand(commandIds.forgetHost, log, forgetHost(fleet, remembered)));
  own(registerCommand(commandIds.showHosts, log, showHosts()));
  own(registerCommand(commandIds.showOutput, log, showOutput(channel)));
  own(
    registerCommand(
      commandIds.copyDiagnostics,
      log,
      copyDiagnostics(version, clock, () => fleet.store.state),
    ),
  );

  own(registerJobCommands({ fleet, jobs, clock, log, parser, connecting, terminals, pickHost: pick }));

  connectRemembered(fleet, remembered, log);
}

const hasJobs = ({ hosts }: State): boolean =>
  [...hosts.values()].some(({ jobs }) => jobs !== null && jobs.attempts.size > 0);

/** What the user connected here before comes back without a question; what would need one says so in the tree. */
function connectRemembered(fleet: Fleet, remembered: RememberedHosts, log: Log): void {
  for (const name of remembered.all) {
    const parsed = parseHostSpec(name);
    if (parsed.kind === 'host') void fleet.connect(parsed.spec, null);
    else log.warn(parsed.failure.message);
  }
}
