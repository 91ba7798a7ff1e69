/** How the user names a host, before anything is resolved. */
export interface HostSpec {
  /** Key of the host everywhere (model, storage, tree ids): exactly what the user named, normalised. */
  readonly id: HostId;
  /** What `ssh` would be given: an alias of the configuration, or a host name. Never begins with "-". */
  readonly destination: string;
  readonly user: string | null;
  readonly port: number | null;
}

export type HostId = string;
