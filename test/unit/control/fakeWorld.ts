import type { Clock } from '../../../src/core/base/clock';
import { Emitter } from '../../../src/core/base/event';
import { cancelled, linkLost, type Failure } from '../../../src/core/errors';
import type {
  ConnectOptions,
  ConnectResult,
  Connection,
  HostConnector,
  StreamOptions,
} from '../../../src/control/ports';
import type { StreamLine } from '../../../src/core/host/remoteScript';

export interface FakeClock extends Clock {
  /** Lets time pass: timers fire in order, and promises settle between them. */
  advance(ms: number): Promise<void>;
  /** The wall clock moves on and no timer with it, as during a suspend. */
  suspend(ms: number): void;
  /** Timers that are waiting. */
  readonly pending: number;
}

export function createFakeClock(): FakeClock {
  let nowMs = 1_000_000;
  let sleptMs = 0;
  const timers = new Set<{ readonly dueMs: number; readonly call: () => void }>();
  const awakeMs = (): number => nowMs - sleptMs;
  const first = () => [...timers].sort((a, b) => a.dueMs - b.dueMs)[0];
  return {
    nowMs: () => nowMs,
    random: () => 0.5,
    after(delayMs, call) {
      const timer = { dueMs: awakeMs() + delayMs, call };
      timers.add(timer);
      return { dispose: () => void timers.delete(timer) };
    },
    get pending() {
      return timers.size;
    },
    async advance(ms) {
      const endMs = awakeMs() + ms;
      await settle();
      for (let timer = first(); timer !== undefined && timer.dueMs <= endMs; timer = first()) {
        nowMs = Math.max(nowMs, timer.dueMs + sleptMs);
        timers.delete(timer);
        timer.call();
        await settle();
      }
      nowMs = endMs + sleptMs;
    },
    suspend(ms) {
      nowMs += ms;
      sleptMs += ms;
    },
  };
}

/** Lets everything happen that needs no time. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
}

/** A host in memory. What it does next is set by its fields; what was done to it is kept in the others. */
export class FakeHost implements HostConnector {
  /** How the next connects end; `connected` when there is none left. `hang`: until aborted, and then late all the same. */
  readonly nextConnects: ('connected' | 'interactive' | 'hang' | Failure)[] = [];
  system = 'Linux';
  answers = true;
  /** The next frame comes only when it is released. */
  holdNext = false;
  releaseFrame: () => void = () => undefined;
  /** A line that it writes over and over after each tick. */
  flood: string | null = null;
  /** The control line that tells of the GPUs, without the word itself. */
  gpu = 'idle';

  readonly connects: { readonly atMs: number; readonly asked: boolean }[] = [];
  readonly ticks: { readonly atMs: number; readonly flags: string }[] = [];
  readonly signals: AbortSignal[] = [];
  /** Connections that were given out and not disposed. */
  open = 0;

  private readonly clock: Clock;
  private lose: (failure: Failure) => void = () => undefined;
  private release: () => void = () => undefined;

  constructor(clock: Clock) {
    this.clock = clock;
  }

  async connect(_spec: unknown, { prompts, onStep, signal }: ConnectOptions): Promise<ConnectResult> {
    this.connects.push({ atMs: this.clock.nowMs(), asked: prompts !== null });
    this.signals.push(signal);
    onStep('authenticating');
    const next = this.nextConnects.shift() ?? 'connected';
    if (next === 'hang') await new Promise<void>(resolve => (this.release = resolve));
    else await Promise.resolve();
    if (typeof next === 'object') return { kind: 'failed', failure: next };
    return { kind: 'connected', connection: this.newConnection(), interactive: next === 'interactive', notices: [] };
  }

  /** Lets a connect that hangs succeed. */
  finishConnect(): void {
    this.release();
  }

  loseLink(): void {
    this.lose(linkLost('box', 'reset'));
  }

  private newConnection(): Connection {
    const closed = new Emitter<Failure>(error => {
      throw error;
    });
    let live = true;
    this.open += 1;
    this.lose = failure => live && closed.fire(failure);
    return {
      onClosed: closed.event,
      run: () => Promise.resolve({ kind: 'lost', failure: cancelled() }),
      openStream: (_script, options) => Promise.resolve({ kind: 'open', stream: this.newStream(options) }),
      dispose: () => {
        if (live) this.open -= 1;
        live = false;
      },
    };
  }

  private newStream({ onLine }: StreamOptions) {
    let seq = 0;
    const say = (...lines: readonly (StreamLine | string)[]): void => {
      for (const line of lines) onLine(typeof line === 'string' ? { kind: 'control', words: line } : line);
    };
    say('hello', { kind: 'text', text: `system=${this.system}` }, 'hello end');
    return {
      send: (line: string): void => {
        const flags = line.replace(/^tick /, '');
        this.ticks.push({ atMs: this.clock.nowMs(), flags });
        if (this.flood !== null)
          for (let count = 0; count < 50_000; count += 1) say({ kind: 'text', text: this.flood });
        if (!this.answers) return;
        seq += 1;
        const began = flags.includes('g') ? ['query started'] : [];
        const held = this.holdNext ? new Promise<void>(resolve => (this.releaseFrame = resolve)) : Promise.resolve();
        this.holdNext = false;
        void held.then(() => say(`frame ${seq} 1.00`, ...began, `gpu ${this.gpu}`, `end ${seq}`));
      },
      dispose: () => undefined,
    };
  }
}
