import { randomBytes } from 'node:crypto';
import { createEnvironmentProbe, type EnvironmentProbe } from '../../../src/control/environment';
import type { Connection } from '../../../src/control/ports';
import environmentScript from '../../../src/hosts/scripts/environment.sh';
import lookupScript from '../../../src/hosts/scripts/lookup.sh';
import type { Sshd } from '../../support/sshd';
import type { TestUserName } from '../../support/users';
import { createRig } from '../ssh/rig';

/** A user's connection to a real sshd, and a probe to ask by it. */
export interface SignedIn {
  readonly connection: Connection;
  readonly probe: EnvironmentProbe;
  readonly log: readonly string[];
  dispose(): void;
}

export async function signIn(
  sshd: Sshd,
  user: TestUserName,
  keyFile: string,
  limitSeconds?: number,
): Promise<SignedIn> {
  const knownHosts = `[127.0.0.1]:${sshd.port} ${sshd.hostKey('ed25519')}\n`;
  const rig = await createRig({ port: sshd.port, user, config: [`IdentityFile ${keyFile}`], knownHosts });
  const probe = createEnvironmentProbe({
    environmentScript,
    lookupScript,
    nonce: () => randomBytes(16).toString('hex'),
    ...(limitSeconds === undefined ? {} : { limitSeconds }),
  });
  return { connection: await rig.connected(), probe, log: rig.log, dispose: () => rig.dispose() };
}
