import type { JobPlace, JobScripts, LaunchOrder } from '../control/ports';
import { quoteShellText } from '../core/base/shellText';
import { specText } from '../core/job/directory/attemptSpec';
import follow from './scripts/follow.sh';
import launch from './scripts/launch.sh';
import list from './scripts/list.sh';
import place from './scripts/place.sh';
import processes from './scripts/processes.sh';
import records from './scripts/records.sh';
import signal from './scripts/signal.sh';
import supervise from './scripts/supervise.sh';
import tell from './scripts/tell.sh';
import { stoppingScripts } from './stoppingScript';

/** The scripts of the job directory, with what they need to know before them. */
export const jobScripts: JobScripts = {
  launch: (order, jobPlace) => [assigned(launchVariables(order, jobPlace)), place, records, launch].join('\n'),
  list: jobPlace => [assigned({ STATE: jobPlace.state ?? '' }), place, records, list].join('\n'),
  follow: jobs => [assigned({ JOBS: jobs }), follow].join('\n'),
  claimTelling: folders => telling('claim', folders),
  writeTold: folders => telling('told', folders),
  stopping: stoppingScripts,
  processes,
  signal,
};

const telling = (what: 'claim' | 'told', folders: readonly string[]): string =>
  [`HEADROOM_TELL=${what}`, `set -- ${folders.map(quoteShellText).join(' ')}`, tell].join('\n');

const launchVariables = ({ id, spec, run, env }: LaunchOrder, { state, logs }: JobPlace) => ({
  STATE: state ?? '',
  LOGS: logs ?? '',
  ATTEMPT: id,
  PARENT: spec.parent ?? '',
  SPEC: specText(spec),
  RUN: run,
  ENVIRONMENT: env,
  SUPERVISE: supervise,
});

/** Unset first: of a variable that the login has exported, the new value would go to every tool that the script runs. */
function assigned(variables: Readonly<Record<string, string>>): string {
  const names = Object.keys(variables).join(' ');
  const lines = Object.entries(variables).map(([name, value]) => `${name}=${quoteShellText(value)}`);
  return [`set +a; unset ${names}`, ...lines].join('\n');
}
