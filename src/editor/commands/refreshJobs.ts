import { l10n, window } from 'vscode';
import type { Fleet } from '../../control/fleet';
import type { Jobs } from '../../control/jobs';
import { plain } from '../../core/present/plain';
import type { CommandHandler } from '../commandRegistry';
import { viewIds } from '../ids';

/** Reads the records of all connected hosts anew. */
export function refreshJobs(fleet: Fleet, jobs: Jobs): CommandHandler {
  return async () => {
    const connected = [...fleet.store.state.hosts.values()].filter(({ connection }) => connection.kind === 'ready');
    const failures = await window.withProgress({ location: { viewId: viewIds.jobs } }, () =>
      Promise.all(connected.map(({ spec }) => jobs.refresh(spec.id))),
    );
    const [first] = failures.filter(failure => failure !== null);
    if (first !== undefined) void window.showErrorMessage(plain(`${first.message} ${first.advice}`, 600));
    if (connected.length === 0) void window.showInformationMessage(l10n.t('No host is connected.'));
  };
}
