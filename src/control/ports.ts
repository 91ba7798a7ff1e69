/**
 * How use cases see the world. Adapters in `hosts` and `editor` implement these; `control` knows nothing else of SSH, files
 * or VS Code. A failed operation has the shape of a successful one: nothing here rejects.
 */
import type { Disposable } from '../core/base/disposable';
import type { Event } from '../core/base/event';
import type { Failure } from '../core/errors';
import type { ConnectStep } from '../core/host/connection';
import type { HostSpec } from '../core/host/hostSpec';
import type { StreamLine } from '../core/host/remoteScript';
import type { AttemptId, AttemptSpec } from '../core/job/attempt';

export interface HostConnector {
  connect(spec: HostSpec, options: ConnectOptions): Promise<ConnectResult>;
}

export interface ConnectOptions {
  /** null: nobody may be asked (a reconnect, a start-up). What would need an answer fails with `signInNeeded` or `hostKeyUnknown`. */
  readonly prompts: Prompts | null;
  readonly onStep: (step: ConnectStep) => void;
  readonly signal: AbortSignal;
}

export type ConnectResult =
  | {
      readonly kind: 'connected';
      readonly connection: Connection;
      /** The user had to answer a sign-in prompt that cannot be repeated without them. */
      readonly interactive: boolean;
      /** Things worth a line to the user: no ssh binary, partial configuration support. Plain text. */
      readonly notices: readonly string[];
    }
  | { readonly kind: 'failed'; readonly failure: Failure };

/** One authenticated connection to a host: at most four channels at once, the rest wait in order. */
export interface Connection extends Disposable {
  /** Fires once, however the link ended, unless it was disposed by us. */
  readonly onClosed: Event<Failure>;
  /** Runs a POSIX sh script (one-shot form). The deadline counts from this call, waiting for a channel included. */
  run(script: string, options: RunOptions): Promise<RunResult>;
  /** Starts a POSIX sh script (stream form) and resolves when it said `ready`. */
  openStream(script: string, options: StreamOptions): Promise<StreamResult>;
}

export interface RunOptions {
  readonly deadlineMs: number;
  readonly signal?: AbortSignal;
}

/** `lost` is neither success nor failure of the command: nobody knows how it ended. */
export type RunResult =
  | { readonly kind: 'exited'; readonly code: number; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'signalled'; readonly signal: string; readonly stdout: string; readonly stderr: string }
  | { readonly kind: 'lost'; readonly failure: Failure };

export interface StreamOptions {
  /** From this call to `ready`. */
  readonly readyDeadlineMs: number;
  /** Called for each line after `ready`, in order. */
  readonly onLine: (line: StreamLine) => void;
  /** Called once when the stream ended by itself or with the link; not after `dispose`. */
  readonly onEnd: (failure: Failure) => void;
}

export type StreamResult =
  { readonly kind: 'open'; readonly stream: HostStream } | { readonly kind: 'failed'; readonly failure: Failure };

export interface HostStream extends Disposable {
  /** Sends one line. Only letters, digits, blanks and `-_./:` may be in it; anything else throws, for it is a programming error. */
  send(line: string): void;
}

/** The scripts of the job directory, for `Connection.run`; `follow` is for `Connection.openStream`. */
export interface JobScripts {
  launch(order: LaunchOrder, place: JobPlace): string;
  list(place: JobPlace): string;
  /** Follows logs of attempts whose folders stand in the folder `jobs`, as a listing names it. */
  follow(jobs: string): string;
  /** Asks which of the attempts with these folders this window is to tell the user about: one window alone is. */
  claimTelling(folders: readonly string[]): string;
  /** Writes down that the user was told. */
  writeTold(folders: readonly string[]): string;
  /** Announces in an attempt's folder that it is being stopped, and takes that back; null for a folder that no path can be. */
  stopping(folder: string, by: string, reason: string): { readonly announce: string; readonly withdraw: string } | null;
  /** Tells of all processes of the host. */
  readonly processes: string;
  /** Sends a signal, as `core/job/process/signalling.ts` puts its arguments before it. */
  readonly signal: string;
}

/** Where attempts are kept on a host: settings, which may begin with `~`. null: the usual place. */
export interface JobPlace {
  readonly state: string | null;
  readonly logs: string | null;
}

/** One attempt, ready to be launched. */
export interface LaunchOrder {
  readonly id: AttemptId;
  readonly spec: AttemptSpec;
  /** The texts of `run` and `env`. The second holds secrets: it goes to the host and nowhere else. */
  readonly run: string;
  readonly env: string;
}

/** The user, as far as connecting needs them. Each resolves to null when they decline, or when `signal` says that nobody waits any more. */
export interface Prompts {
  /** An unknown host key: accept it and remember it? */
  acceptHostKey(question: HostKeyQuestion, signal?: AbortSignal): Promise<boolean>;
  secret(question: SecretQuestion, signal?: AbortSignal): Promise<string | null>;
  /** A round of keyboard-interactive; answers in the order of the prompts. */
  answers(question: KeyboardQuestion, signal?: AbortSignal): Promise<readonly string[] | null>;
}

export interface HostKeyQuestion {
  readonly host: string;
  readonly address: string;
  readonly keyType: string;
  /** "SHA256:" and unpadded base64, as OpenSSH prints it. */
  readonly fingerprint: string;
  /** The file that one line will be appended to; null when it will not be remembered. */
  readonly file: string | null;
}

export type SecretQuestion =
  | { readonly kind: 'passphrase'; readonly host: string; readonly keyFile: string; readonly wrongBefore: boolean }
  | { readonly kind: 'password'; readonly host: string; readonly user: string; readonly wrongBefore: boolean };

/** Texts come from the server: untrusted. */
export interface KeyboardQuestion {
  readonly host: string;
  readonly name: string;
  readonly instructions: string;
  readonly prompts: readonly { readonly text: string; readonly echo: boolean }[];
}

/** The log the user can open. Never given a secret. */
export interface Log {
  info(message: string): void;
  warn(message: string): void;
  error(message: string): void;
}
