import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { treeOf } from '../support/processes';

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}

/** How long each of `count` calls took, one after the other, in milliseconds. */
export async function timeEach(count: number, call: () => Promise<unknown>): Promise<readonly number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const startMs = performance.now();
    await call();
    times.push(performance.now() - startMs);
  }
  return times;
}

const ticksPerSecond = Number(execFileSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }));

/** CPU seconds that a process, everything below it, and what ended and was waited for below it, have used so far. */
export function cpuSeconds(pid: number): number {
  let ticks = 0;
  for (const member of treeOf(pid)) {
    try {
      const text = readFileSync(`/proc/${member.pid}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      // utime, stime, cutime, cstime: fields 14 to 17.
      for (const field of fields.slice(11, 15)) ticks += Number(field);
    } catch {
      // Ended in between; its parent has its time now.
    }
  }
  return ticks / ticksPerSecond;
}

/** Memory that a process has to itself and its share of the rest, in bytes. */
export function memoryBytes(pid: number): number {
  const text = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8');
  return Number(/^Pss:\s+(\d+)/m.exec(text)?.[1]) * 1024;
}

/** Stands between client and server and counts what passes, both ways, encryption and all. */
export interface CountingProxy {
  readonly port: number;
  bytes(): number;
  end(): Promise<void>;
}

export async function countingProxy(targetPort: number): Promise<CountingProxy> {
  let bytes = 0;
  const sockets = new Set<Socket>();
  const server = createServer({ noDelay: true }, near => {
    const far = connect({ port: targetPort, host: '127.0.0.1', noDelay: true });
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from);
      from.on('data', chunk => (bytes += chunk.length));
      from.on('error', () => to.destroy());
      from.on('close', () => sockets.delete(from));
      from.pipe(to);
    }
  });
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    bytes: () => bytes,
    async end() {
      const closed = new Promise(resolve => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

/** One thing measured, ours beside what one would do by hand. */
export interface Row {
  readonly what: string;
  readonly value: number;
  readonly unit: string;
  /** The value that it is set against; null: it stands for itself. */
  readonly against: number | null;
}

/** Fixed columns; the ratio says how many times ours is of the other. */
export function table(rows: readonly Row[]): string {
  const cells = rows.map(row => [
    row.what,
    `${row.value >= 100 ? row.value.toFixed(0) : row.value.toPrecision(3)} ${row.unit}`,
    row.against === null ? '' : `×${(row.value / row.against).toPrecision(3)}`,
  ]);
  const widths = [0, 1, 2].map(column => Math.max(...cells.map(cell => cell[column]!.length)));
  return cells
    .map(([what, value, ratio]) =>
      `${what!.padEnd(widths[0]!)}  ${value!.padStart(widths[1]!)}  ${ratio!.padStart(widths[2]!)}`.trimEnd(),
    )
    .join('\n');
}
