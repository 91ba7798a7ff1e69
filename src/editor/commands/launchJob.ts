import { window } from 'vscode';
import { parseHostSpec } from '../../core/host/hostSpec';
import { plain } from '../../core/present/plain';
import type { CommandHandler } from '../commandRegistry';
import type { JobToLaunch } from '../jobs/jobToLaunch';
import type { Launching } from '../jobs/launching';

/** A job of the workspace's job file. */
export function launchJob(pick: () => Promise<JobToLaunch | undefined>, launching: Launching): CommandHandler {
  return async () => {
    const chosen = await pick();
    if (chosen === undefined) return;
    const host = parseHostSpec(chosen.job.host);
    if (host.kind === 'host') await launching.launch(chosen.job, host.spec, chosen.source);
    else void window.showErrorMessage(plain(`${host.failure.message} ${host.failure.advice}`, 400));
  };
}
