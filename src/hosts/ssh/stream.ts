import { randomBytes } from 'node:crypto';
import type { ClientChannel } from 'ssh2';
import type { HostStream, StreamOptions, StreamResult } from '../../control/ports';
import { deadlinePassed, noCommands, streamEnded, tooMuchOutput, type Failure } from '../../core/errors';
import { isSendable, streamScript, type StreamLine } from '../../core/host/remoteScript';
import { createStreamReader } from '../../core/host/streamReader';
import type { Channels } from './channels';

/** What start-up files may print before the script is ready, and anybody on stderr, where our scripts write nothing. */
const mostStrayBytes = 1_048_576;

/** Of what a stream writes on stderr, so much is kept to say why it ended. */
const lastWordsLength = 500;

export interface StreamContext {
  readonly host: string;
  readonly channels: Channels;
  /** Whether the server answers; false also ends the link. */
  readonly linkAnswers: () => Promise<boolean>;
}

/** Starts a script in the stream form. Nothing is sent to it before it said that it is ready. */
export function openScriptStream(
  context: StreamContext,
  script: string,
  options: StreamOptions,
): Promise<StreamResult> {
  const { host, channels } = context;
  const nonce = randomBytes(16).toString('hex');
  return new Promise(resolve => {
    const pending = channels.open();
    let channel: ClientChannel | null = null;
    let phase: 'starting' | 'open' | 'over' = 'starting';

    const giveUp = (failure: Failure): void => {
      if (phase !== 'starting') return;
      phase = 'over';
      clearTimeout(timer);
      pending.abandon();
      channel?.close();
      resolve({ kind: 'failed', failure });
    };
    const timer = setTimeout(() => {
      const late = deadlinePassed(host, options.readyDeadlineMs);
      if (!pending.asked) return giveUp(late);
      // A server that answers and a shell that does not is another matter than a dead link.
      void context.linkAnswers().then(answers => giveUp(answers ? noCommands(host) : (channels.ended ?? late)));
    }, options.readyDeadlineMs);

    const onReady = (opened: ClientChannel): void => {
      phase = 'open';
      clearTimeout(timer);
      resolve({ kind: 'open', stream: streamOver(opened, () => (phase = 'over')) });
    };
    const onEnd = (failure: Failure): void => {
      if (phase === 'starting') giveUp(channels.ended ?? noCommands(host));
      else if (phase === 'open') {
        phase = 'over';
        options.onEnd(channels.ended ?? failure);
      }
    };

    void pending.result.then(opened => {
      if (opened.kind === 'failed') return giveUp(opened.failure);
      if (phase === 'over') return;
      channel = opened.channel;
      let stray = 0;
      const countStray = (chunk: { readonly length: number }): void => {
        stray += chunk.length;
        if (stray <= mostStrayBytes) return;
        if (phase === 'starting') giveUp(noCommands(host));
        else onEnd(tooMuchOutput(host));
      };
      channel.on('data', (chunk: Buffer) => {
        if (phase === 'starting') countStray(chunk);
      });
      channel.stderr.on('data', countStray);
      readLines({ channel: opened.channel, host, nonce }, onEnd, line => {
        if (phase === 'open') options.onLine(line);
        else if (phase === 'starting' && line.kind === 'control' && line.words === 'ready') onReady(opened.channel);
      });
      channel.write(streamScript(script, nonce));
    });
  });
}

function readLines(
  { channel, host, nonce }: { readonly channel: ClientChannel; readonly host: string; readonly nonce: string },
  onEnd: (failure: Failure) => void,
  onLine: (line: StreamLine) => void,
): void {
  const reader = createStreamReader(nonce);
  let lastWords = '';
  let status = 'no exit status';
  channel.on('data', (chunk: Buffer) => reader.push(chunk).forEach(onLine));
  channel.stderr.setEncoding('utf8').on('data', (text: string) => {
    lastWords = (lastWords + text).slice(-lastWordsLength);
  });
  channel.once('exit', (code: number | null, signal?: string) => {
    status = code === null ? (signal ?? 'signal') : `exit ${code}`;
  });
  channel.once('close', () => {
    reader.end().forEach(onLine);
    onEnd(streamEnded(host, [status, lastWords.trim()].filter(part => part !== '').join(': ')));
  });
}

function streamOver(channel: ClientChannel, onDisposed: () => void): HostStream {
  return {
    send(line) {
      if (!isSendable(line)) throw new Error('a line to a stream has only letters, digits, blanks and - _ . / : in it');
      if (channel.writable) channel.write(`${line}\n`);
    },
    dispose() {
      onDisposed();
      // The end of its stdin tells the script to go; closing a channel alone ends nothing on the host.
      channel.end();
      channel.close();
    },
  };
}
