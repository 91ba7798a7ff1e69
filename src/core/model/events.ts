import type { ConnectionState } from '../host/connection';
import type { HostId, HostSpec } from '../host/hostSpec';
import type { HostIdentity, WatchFrame } from '../host/watchFrame';

/** What can happen to the model. `atMs` is the editor's clock when it was heard. */
export type HostEvent =
  | { readonly kind: 'hostAdded'; readonly spec: HostSpec }
  | { readonly kind: 'hostForgotten'; readonly host: HostId }
  | { readonly kind: 'connectionChanged'; readonly host: HostId; readonly connection: ConnectionState }
  | { readonly kind: 'identified'; readonly host: HostId; readonly identity: HostIdentity }
  | { readonly kind: 'frame'; readonly host: HostId; readonly frame: WatchFrame; readonly atMs: number }
  /** The pace at which frames are asked for changed; null: nothing shows the host. */
  | { readonly kind: 'paceChanged'; readonly host: HostId; readonly intervalMs: number | null };
