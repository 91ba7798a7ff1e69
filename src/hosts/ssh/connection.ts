import type { Connection, Log } from '../../control/ports';
import { Emitter } from '../../core/base/event';
import { stackOf } from '../../core/base/thrown';
import { linkLost, type Failure } from '../../core/errors';
import { createChannels } from './channels';
import type { Link } from './link';
import { runScript } from './run';
import { openScriptStream } from './stream';

/** How long a server may take to answer when it was silent past a deadline. */
const answerLimitMs = 3_000;

/** How long an orderly end may take before the socket is dropped. */
const farewellMs = 1_000;

/** A connection over a link that let the user in. Owns the link. */
export function createConnection(link: Link, host: string, log: Log): Connection {
  const { client } = link;
  const closed = new Emitter<Failure>(error => log.error(`${host}: ${stackOf(error)}`));
  const channels = createChannels(client, host);
  let lastError: string | null = null;
  let disposed = false;

  client.on('error', (error: Error) => (lastError = error.message));
  client.once('close', () => {
    const failure = linkLost(host, lastError ?? 'the other side closed it');
    channels.end(failure);
    link.destroy();
    if (!disposed) closed.fire(failure);
    closed.dispose();
  });

  let answer: Promise<boolean> | null = null;
  const linkAnswers = (): Promise<boolean> => {
    answer ??= ask().then(answers => {
      answer = null;
      if (!answers) {
        lastError ??= 'the host does not answer';
        link.destroy();
      }
      return answers;
    });
    return answer;
  };

  /** A global request that every server has to answer, if only by refusing it (RFC 4254, section 4). */
  function ask(): Promise<boolean> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, answerLimitMs, false);
      try {
        client.unforwardIn('127.0.0.1', 1, () => {
          clearTimeout(timer);
          resolve(channels.ended === null);
        });
      } catch {
        clearTimeout(timer);
        resolve(false);
      }
    });
  }

  return {
    onClosed: closed.event,
    run: (script, options) => runScript({ host, channels, suspectLink: () => void linkAnswers() }, script, options),
    openStream: (script, options) => openScriptStream({ host, channels, linkAnswers }, script, options),
    dispose() {
      if (disposed) return;
      disposed = true;
      channels.end(linkLost(host, 'disconnected'));
      client.end();
      setTimeout(link.destroy, farewellMs).unref();
    },
  };
}
