import { join } from 'node:path';
import { root } from './paths';
import { startBackground, until, type Background } from './processes';

/** `npm start` as it runs for a user, and what it told them. */
export interface DemoProcess {
  readonly process: Background;
  readonly url: string;
  readonly password: string;
  readonly sshConfigFile: string;
  readonly sshPort: number;
}

export async function startDemoProcess(): Promise<DemoProcess> {
  const demo = startBackground(process.execPath, [join(root, 'test/tools/bootstrap.mjs'), 'start', '--no-open']);
  try {
    const said = await until(
      'the demo is up',
      () => {
        if (demo.child.exitCode !== null) throw new Error(demo.output());
        return demo.output().includes('Ctrl-C') && demo.output();
      },
      100_000,
    );
    return {
      process: demo,
      url: /http:\S+/.exec(said)![0],
      password: /Password: (\S+)/.exec(said)![1]!,
      sshConfigFile: /SSH configuration: (\S+)/.exec(said)![1]!,
      sshPort: Number(/The demo host is 127\.0\.0\.1:(\d+)/.exec(said)![1]),
    };
  } catch (error) {
    await demo.end();
    throw error;
  }
}
