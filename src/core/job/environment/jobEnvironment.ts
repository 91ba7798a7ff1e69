import { readEnvFile } from './envFile';
import type { Job } from '../job';
import type { LoginEnvironment } from './loginEnvironment';
import type { ShellEnvironment } from './shellEnvironment';

/** What a job runs in: the login shell's environment, over it the file of variables, over it the job's own. */
export function jobEnvironment(login: LoginEnvironment, env: Job['env']): ShellEnvironment {
  const file = login.file === null ? new Map<string, string>() : readEnvFile(login.file).variables;
  // Output that waits in a buffer would be lost with the process, and the log would stand still for minutes.
  const variables = new Map([['PYTHONUNBUFFERED', '1'], ...login.variables, ...file, ...env]);
  return { variables, functions: login.functions };
}
