import { quoteShellText } from '../core/base/shellText';
import { internal, type Failure } from '../core/errors';
import {
  lookupScript,
  readLookup,
  type CommandLookup,
  type LookupQuestion,
} from '../core/job/environment/commandLookup';
import { readLoginEnvironment, type LoginEnvironment } from '../core/job/environment/loginEnvironment';
import type { Connection } from './ports';

/** Asks a host what a job would run in. Nothing of what is answered goes to the log: an environment holds secrets. */
export interface EnvironmentProbe {
  /** `envFile`: a file of variables on the host, read along; null for none. */
  capture(connection: Connection, envFile: string | null, signal?: AbortSignal): Promise<CaptureResult>;
  lookUp(connection: Connection, question: LookupQuestion, signal?: AbortSignal): Promise<LookupResult>;
}

export type CaptureResult =
  | { readonly kind: 'captured'; readonly environment: LoginEnvironment }
  | { readonly kind: 'failed'; readonly failure: Failure };

export type LookupResult =
  | { readonly kind: 'answered'; readonly lookup: CommandLookup }
  /** The setup lines hang, leave the shell or are no whole shell text: nothing can be said of what comes behind them. */
  | { readonly kind: 'setupBroken' }
  | { readonly kind: 'failed'; readonly failure: Failure };

export interface ProbeParts {
  /** The texts of environment.sh and lookup.sh. */
  readonly environmentScript: string;
  readonly lookupScript: string;
  /** Letters and digits that nobody can guess, others each time. */
  readonly nonce: () => string;
  /** For tests: how long a login shell may take before it is given up, seconds. */
  readonly limitSeconds?: number;
}

/** The scripts end what hangs in less than 20 s; the rest is for a slow link. */
const deadlineMs = 30_000;

export function createEnvironmentProbe(parts: ProbeParts): EnvironmentProbe {
  const options = (signal: AbortSignal | undefined) => ({ deadlineMs, ...(signal === undefined ? {} : { signal }) });
  return {
    async capture(connection, envFile, signal) {
      const nonce = parts.nonce();
      const assigned =
        `NONCE=${nonce} ENV_FILE=${quoteShellText(envFile ?? '')}` +
        (parts.limitSeconds === undefined ? '' : ` LIMIT=${parts.limitSeconds}`);
      const result = await connection.run(`${assigned}\n${parts.environmentScript}`, options(signal));
      if (result.kind === 'lost') return { kind: 'failed', failure: result.failure };
      const environment = readLoginEnvironment(result.stdout, nonce);
      return environment === null
        ? { kind: 'failed', failure: internal('The environment of the login could not be read.') }
        : { kind: 'captured', environment };
    },

    async lookUp(connection, question, signal) {
      const nonce = parts.nonce();
      const result = await connection.run(lookupScript(parts.lookupScript, question, nonce), options(signal));
      if (result.kind === 'lost') return { kind: 'failed', failure: result.failure };
      const lookup = readLookup(result.stdout, question, nonce);
      return lookup === null ? { kind: 'setupBroken' } : { kind: 'answered', lookup };
    },
  };
}
