import { randomBytes } from 'node:crypto';
import { createEnvironmentProbe } from '../../control/environment';
import { createJobs, type JobNotices, type Jobs } from '../../control/jobs';
import type { Log } from '../../control/ports';
import type { Store } from '../../control/store';
import type { Clock } from '../../core/base/clock';
import type { ShellParser } from '../../core/job/command/shellSyntax';
import { jobScripts } from '../../hosts/jobScripts';
import environmentScript from '../../hosts/scripts/environment.sh';
import lookupScript from '../../hosts/scripts/lookup.sh';
import { jobPlace, stallAfterMs, stopGraceMs } from '../settings';

export interface JobsServiceOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly log: Log;
  readonly parser: () => Promise<ShellParser>;
  readonly notices: JobNotices;
}

/** The jobs of all hosts, with the scripts, the settings and the chance that they need. */
export function createJobsService(options: JobsServiceOptions): Jobs {
  const nonce = (): string => randomBytes(12).toString('hex');
  return createJobs({
    ...options,
    scripts: jobScripts,
    probe: createEnvironmentProbe({ environmentScript, lookupScript, nonce }),
    randomBytes: count => randomBytes(count),
    place: jobPlace,
    stallAfterMs,
    graceMs: stopGraceMs,
  });
}
