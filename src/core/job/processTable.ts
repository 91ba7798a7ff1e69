import type { ProcessIdentity } from './attempt';

/** One process of a host, as /proc tells of it. */
export interface HostProcess extends ProcessIdentity {
  readonly ppid: number;
  /** Process group and session. */
  readonly pgid: number;
  readonly sid: number;
  /** R, S, D, Z, T …: one letter of /proc/PID/stat. */
  readonly state: string;
  /** At most 15 characters; may hold blanks, parentheses and line feeds. Untrusted. */
  readonly comm: string;
  readonly uid: number | null;
  /** The attempt whose id stands in the process's environment; null when there is none or it cannot be read. */
  readonly attempt: string | null;
}
