import { spawn } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ProcessIdentity } from '../../../src/core/job/attempt';
import type { AttemptInTable } from '../../../src/core/job/process/members';
import { endTree, isAlive, signalProcess, until } from '../processes';
import type { TestUser } from '../users';

/** The processes of a job at work, begun as on a host: a supervisor, and a command that leads a session of its own. */
export interface Tree {
  readonly attempt: AttemptInTable;
  readonly folder: string;
  /** All living processes of it, found by their command lines and by nothing that is to be tested. */
  living(): readonly ProcessIdentity[];
  /** Waits until that many of its processes, not counting supervisor and command, run the sleeping program. */
  sleepers(count: number): Promise<readonly ProcessIdentity[]>;
  /** Ends whatever is left of it. */
  dispose(): Promise<void>;
}

export async function startTree(user: TestUser, script: string): Promise<Tree> {
  const folder = mkdtempSync(join(tmpdir(), 'hr-tree-'));
  const id = folder.slice(folder.lastIndexOf('/') + 1).toLowerCase();
  chmodSync(folder, 0o755);
  chownSync(folder, user.uid, user.gid);
  copyFileSync('/bin/sleep', join(folder, 'sleep'));
  writeFileSync(join(folder, 'run'), script);
  // A subshell in the foreground: one in the background would ignore SIGINT.
  const supervise = `(exec env HEADROOM_ATTEMPT=${id} setsid bash '${folder}/run'); echo $? >'${folder}/status'`;
  const supervisor = spawn('dash', ['-c', supervise], {
    uid: user.uid,
    gid: user.gid,
    cwd: folder,
    detached: true,
    stdio: 'ignore',
    env: { PATH: process.env['PATH'], HOME: user.home, SLEEP: join(folder, 'sleep'), DIR: folder },
  });
  const command = await until('the command has a session of its own', () =>
    processes().find(({ ppid, sid, pid, commandLine }) => {
      return ppid === supervisor.pid && sid === pid && !commandLine.startsWith('setsid');
    }),
  ).catch(async (error: unknown) => {
    await endTree(supervisor);
    rmSync(folder, { recursive: true, force: true });
    throw error;
  });
  const living = (): readonly Process[] => processes().filter(({ commandLine }) => commandLine.includes(folder));
  const first = processes().find(({ pid }) => pid === supervisor.pid);
  if (first === undefined) throw new Error('The supervisor has ended already.');
  return {
    attempt: {
      id,
      started: {
        atS: Math.floor(Date.now() / 1000),
        bootId: readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim(),
        supervisor: first,
        command,
        log: join(folder, 'log'),
      },
    },
    folder,
    living,
    sleepers: count =>
      until(`${count} processes of the job sleep`, () => {
        const sleeping = living().filter(
          ({ pid, commandLine }) => pid !== command.pid && /\/\S[^\0]*\0\d/s.test(commandLine),
        );
        return sleeping.length >= count ? sleeping : null;
      }),
    async dispose() {
      await until('nothing of the job is left', () => {
        for (const { pid } of living()) kill(pid);
        return living().length === 0;
      });
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A process that has nothing to do with any job. */
export function startNeighbour(user: TestUser): ProcessIdentity & { isUntouched(): boolean; end(): void } {
  const { pid } = spawn('/bin/sleep', ['1000'], { uid: user.uid, gid: user.gid, detached: true, stdio: 'ignore' });
  const found = processes().find(process => process.pid === pid);
  if (found === undefined) throw new Error('The neighbour did not start.');
  return {
    ...found,
    isUntouched: () => isAlive(found.pid) && stateOf(found.pid) !== 'T',
    end: () => kill(found.pid),
  };
}

interface Process extends ProcessIdentity {
  readonly ppid: number;
  readonly sid: number;
  /** The words end with NUL. */
  readonly commandLine: string;
}

function processes(): readonly Process[] {
  return readdirSync('/proc')
    .filter(name => /^\d+$/.test(name))
    .flatMap(name => {
      try {
        const fields = fieldsOf(Number(name));
        if (fields[0] === 'Z') return [];
        const [ppid, sid, startTicks] = [fields[1], fields[3], fields[19]].map(Number) as [number, number, number];
        return [
          { pid: Number(name), ppid, sid, startTicks, commandLine: readFileSync(`/proc/${name}/cmdline`, 'utf8') },
        ];
      } catch {
        // It has ended in between.
        return [];
      }
    });
}

const stateOf = (pid: number): string | undefined => fieldsOf(pid)[0];

function fieldsOf(pid: number): readonly string[] {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ');
}

function kill(pid: number): void {
  try {
    signalProcess(pid, 'SIGKILL');
  } catch {
    // It has ended in between.
  }
}
