import { processesUnreadable, type Failure } from '../core/errors';
import type { HostId } from '../core/host/hostSpec';
import { membersOf, type AttemptInTable, type Beforehand, type Members } from '../core/job/process/members';
import { isSame, parseProcessTable, type HostProcess } from '../core/job/process/processTable';
import { readSignalAnswers, signalScript, strongestOf, type Signal } from '../core/job/process/signalling';
import type { Connection, RunResult } from './ports';

/** The host of an attempt, as far as stopping it needs one. Each call is one script and one round trip. */
export interface StopHost {
  look(beforehand: Beforehand): Promise<Look>;
  /** For no targets nothing is sent, and all is well. */
  send(signal: Signal, targets: readonly HostProcess[]): Promise<{ readonly kind: 'sent' } | Lost>;
  /** `done`: the script came to its end and said that it did what it should. */
  tell(script: string): Promise<{ readonly kind: 'told'; readonly done: boolean } | Lost>;
  /** Whether the host has refused us to signal this process. */
  hasRefused(process: HostProcess): boolean;
  /** The strongest signal that was sent, or may have been; null for none. */
  strongest(): Signal | null;
}

type Look =
  | { readonly kind: 'members'; readonly members: Members }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | Lost;

/** Nobody knows what became of it. `by` is the strongest signal that may have been sent. */
export interface Lost {
  readonly kind: 'lost';
  readonly failure: Failure;
  readonly by: Signal | null;
}

export interface StopHostOptions {
  readonly host: HostId;
  readonly connection: Pick<Connection, 'run'>;
  readonly attempt: AttemptInTable;
  readonly scripts: { readonly processes: string; readonly signal: string };
}

/** A busy host forks slowly, and that is when jobs get stopped. */
const answerWithinMs = 20_000;

export function stopHost({ host, connection, attempt, scripts }: StopHostOptions): StopHost {
  let strongest: Signal | null = null;
  const refused: HostProcess[] = [];

  // Not cancelled by the user's wish: then nobody would know whether a signal was sent.
  const run = async (script: string): Promise<Exclude<RunResult, { readonly kind: 'lost' }> | Lost> => {
    const result = await connection.run(script, { deadlineMs: answerWithinMs });
    return result.kind === 'lost' ? { ...result, by: strongest } : result;
  };

  return {
    async look(beforehand) {
      const result = await run(scripts.processes);
      if (result.kind === 'lost') return result;
      const table = parseProcessTable(result.stdout);
      return table === null
        ? { kind: 'failed', failure: processesUnreadable(host) }
        : { kind: 'members', members: membersOf(table, attempt, beforehand) };
    },
    async send(signal, targets) {
      if (targets.length === 0) return { kind: 'sent' };
      strongest = strongestOf(strongest, signal);
      const result = await run(signalScript(scripts.signal, signal, targets));
      if (result.kind === 'lost') return result;
      const answers = readSignalAnswers(result.stdout, targets);
      refused.push(...targets.filter((_, index) => answers[index] === 'refused'));
      return { kind: 'sent' };
    },
    async tell(script) {
      const result = await run(script);
      return result.kind === 'lost' ? result : { kind: 'told', done: result.kind === 'exited' && result.code === 0 };
    },
    hasRefused: process => refused.some(other => isSame(other, process)),
    strongest: () => strongest,
  };
}
