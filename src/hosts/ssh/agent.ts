import ssh2, {
  type BaseAgent,
  type IdentityCallback,
  type ParsedKey,
  type SignCallback,
  type SigningRequestOptions,
} from 'ssh2';

/** A key that an SSH agent holds. */
export interface AgentKey {
  readonly type: string;
  readonly publicBase64: string;
  readonly agent: BaseAgent;
  readonly key: ParsedKey;
}

const listingLimitMs = 5_000;

/**
 * The keys of the agent behind `socket` that ssh2 can use: certificates and security keys are left out by it. Rejects when
 * the agent does not answer; an agent that is not there is no reason not to sign in.
 */
export async function listAgentKeys(socket: string): Promise<readonly AgentKey[]> {
  const agent = ssh2.createAgent(socket);
  const keys = await new Promise<readonly unknown[]>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error('the agent does not answer')), listingLimitMs);
    agent.getIdentities((error, found) => {
      clearTimeout(timer);
      if (error) reject(error);
      else resolve(found ?? []);
    });
  });
  return keys.filter(isParsedKey).map(key => ({
    type: key.type,
    publicBase64: key.getPublicSSH().toString('base64'),
    agent,
    key,
  }));
}

/** ssh2's declarations allow agents more shapes than its own agents use. */
function isParsedKey(key: unknown): key is ParsedKey {
  return typeof key === 'object' && key !== null && 'getPublicSSH' in key;
}

export type Sign = (data: Buffer, hash: SigningRequestOptions['hash']) => Promise<Buffer>;

/** An agent with exactly one key, so that each attempt is counted and the order is ours. */
export class OneKeyAgent extends ssh2.BaseAgent {
  private readonly publicKey: ParsedKey;
  private readonly signData: Sign;

  constructor(publicKey: ParsedKey, signData: Sign) {
    super();
    this.publicKey = publicKey;
    this.signData = signData;
  }

  override getIdentities(callback: IdentityCallback): void {
    callback(null, [this.publicKey]);
  }

  override sign(
    _key: unknown,
    data: Buffer,
    options: SigningRequestOptions | SignCallback,
    callback?: SignCallback,
  ): void {
    const done = typeof options === 'function' ? options : callback;
    this.signData(data, typeof options === 'function' ? undefined : options.hash).then(
      signature => done?.(null, signature),
      (error: unknown) => done?.(error instanceof Error ? error : new Error(String(error))),
    );
  }
}

/** Signs with a key that the agent holds. */
export function signByAgent({ agent, key }: AgentKey): Sign {
  return (data, hash) =>
    new Promise((resolve, reject) => {
      agent.sign(key, data, hash === undefined ? {} : { hash }, (error, signature) => {
        if (signature !== undefined) resolve(signature);
        else reject(error ?? new Error('the agent did not sign'));
      });
    });
}
