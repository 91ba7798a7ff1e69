import { spawn, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import { startDemoHost } from './demoHost';
import { createGpuBox, type GpuBox } from './gpubox/gpubox';
import { endTree } from './processes';

/** What a user can try the extension on without having a GPU. */
export interface Demo {
  readonly alias: string;
  readonly port: number;
  readonly configFile: string;
  end(): Promise<void>;
}

const nobody = 65534;

/**
 * An SSH host with a stand-in for four cards: on the first a training run of ours that is well used, on the second one that
 * draws far less than it may, on the third somebody else's process; the fourth is free. `folder` is ours alone, 0700.
 */
export async function startDemo(folder: string): Promise<Demo> {
  const alias = 'blackwell';
  const box = createGpuBox(join(folder, 'box'));
  const env = { PATH: `${box.binDir}:${process.env['PATH'] ?? ''}`, LANG: 'C.UTF-8', SHELL: '/bin/sh' };
  const host = await startDemoHost({ alias, folder, env });

  const trainers = [0, 1].map(gpu => startTrainer(box, gpu));
  const endNeighbour = await startNeighbour(box);
  const swing = startSwing(box);
  return {
    alias,
    port: host.port,
    configFile: host.configFile,
    async end() {
      clearInterval(swing);
      await host.end();
      await Promise.all(trainers.map(endTree));
      await endNeighbour();
    },
  };
}

/** A process that lives, with the memory of a drafter that is trained at 8192 tokens. */
function startTrainer(box: GpuBox, gpu: number): ChildProcess {
  const child = spawn('sleep', ['1000000'], { stdio: 'ignore' });
  if (child.pid === undefined) throw new Error('sleep could not be started.');
  box.setProcess({
    gpu,
    pid: child.pid,
    name: '/usr/bin/python3',
    mib: 40_755,
    util: 100,
    watts: gpu === 0 ? 390 : 200,
  });
  return child;
}

/** Another user's process needs root to be started; without it the machine's first process has to stand in. */
async function startNeighbour(box: GpuBox): Promise<() => Promise<void>> {
  if (process.getuid?.() === 0) {
    const neighbour = await box.startNeighbour({ gpu: 2, mib: 71_200, uid: nobody, util: 87, watts: 480 });
    return () => neighbour.stop();
  }
  box.setProcess({ gpu: 2, pid: 1, name: '/usr/bin/python3', mib: 71_200, util: 87, watts: 480 });
  return () => Promise.resolve();
}

/** Power goes up and down with the steps of a training run. */
function startSwing(box: GpuBox): NodeJS.Timeout {
  let step = 0;
  return setInterval(() => {
    step++;
    box.setCard(0, { load_watts: Math.round(32 + 32 * Math.sin(step / 3)) });
    box.setCard(1, { load_watts: Math.round(20 + 15 * Math.sin(step / 5)) });
  }, 1_000);
}
