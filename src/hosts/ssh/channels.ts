import type { Client, ClientChannel } from 'ssh2';
import { noChannels, noCommands, type Failure } from '../../core/errors';
import { remoteCommand } from '../../core/host/remoteScript';

/** Sessions that one connection may have open; the rest wait in order. Servers allow ten by default, some only one. */
export interface Channels {
  /** A channel that runs `sh -s`, as soon as there is room for it. */
  open(): PendingChannel;
  /** The link is gone: whoever waits is told. */
  end(failure: Failure): void;
  /** Set once the link is gone. */
  readonly ended: Failure | null;
}

export interface PendingChannel {
  readonly result: Promise<OpenedChannel>;
  /** Whether the server was asked already; before that, waiting says nothing about the link. */
  readonly asked: boolean;
  /** Nobody waits any more; a channel that still comes is closed. */
  abandon(): void;
}

export type OpenedChannel =
  { readonly kind: 'open'; readonly channel: ClientChannel } | { readonly kind: 'failed'; readonly failure: Failure };

const mostChannels = 4;

/**
 * A server may refuse although there is room: sshd frees a session a moment after it has closed the channel. So a refusal
 * is tried again after a pause that grows with each, and only so many times before it counts as the server's rule.
 */
const mostRefusals = 5;
const refusalPauseMs = 20;

interface Waiter {
  resolve(opened: OpenedChannel): void;
  asked: boolean;
  abandoned: boolean;
  refusals: number;
}

export function createChannels(client: Client, host: string): Channels {
  const waiting: Waiter[] = [];
  let most = mostChannels;
  /** Asked for or open. */
  let held = 0;
  let open = 0;
  /** So many were open at once: fewer is never the server's limit. */
  let proven = 1;
  let ended: Failure | null = null;

  const letGo = (): void => {
    held--;
    open--;
    pump();
  };

  function pump(): void {
    while (ended === null && held < most) {
      const waiter = waiting.shift();
      if (waiter === undefined) return;
      if (!waiter.abandoned) ask(waiter);
    }
  }

  function ask(waiter: Waiter): void {
    waiter.asked = true;
    held++;
    try {
      client.exec(remoteCommand, (error, channel) => {
        if (error) refusedWith(waiter, error);
        else hand(waiter, channel);
      });
    } catch (error) {
      // ssh2 throws when its socket cannot be written any more; its "close" is on the way.
      refusedWith(waiter, error as Error);
    }
  }

  function hand(waiter: Waiter, channel: ClientChannel): void {
    proven = Math.max(proven, ++open);
    // The server counts the session until the channel is closed, so we do too.
    channel.once('close', letGo);
    channel.on('error', () => undefined);
    if (!waiter.abandoned) return waiter.resolve({ kind: 'open', channel });
    // Without a reader ssh2 never tells of the close.
    channel.resume();
    channel.stderr.resume();
    channel.close();
  }

  function refusedWith(waiter: Waiter, error: Error): void {
    if (ended !== null) return waiter.resolve({ kind: 'failed', failure: ended });
    held--;
    if (!error.message.startsWith('(SSH) Channel open failure')) {
      waiter.resolve({ kind: 'failed', failure: noCommands(host) });
      return pump();
    }
    // The server allows fewer than we thought (MaxSessions): wait for one of ours to end.
    most = Math.max(proven, most - 1);
    if (held === 0 && waiter.refusals >= mostRefusals) {
      waiter.resolve({ kind: 'failed', failure: noChannels(host, error.message) });
      return pump();
    }
    waiting.unshift(waiter);
    if (held < most && waiter.refusals < mostRefusals)
      setTimeout(pump, refusalPauseMs * 2 ** waiter.refusals++).unref();
  }

  return {
    open() {
      const waiter: Waiter = { resolve: () => undefined, asked: false, abandoned: false, refusals: 0 };
      const result = new Promise<OpenedChannel>(resolve => (waiter.resolve = resolve));
      if (ended !== null) waiter.resolve({ kind: 'failed', failure: ended });
      else {
        waiting.push(waiter);
        pump();
      }
      return {
        result,
        get asked() {
          return waiter.asked;
        },
        abandon: () => void (waiter.abandoned = true),
      };
    },
    end(failure) {
      ended ??= failure;
      for (const waiter of waiting.splice(0)) waiter.resolve({ kind: 'failed', failure });
    },
    get ended() {
      return ended;
    },
  };
}
