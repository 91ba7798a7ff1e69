/** Host memory and the signs of its shortage, at one moment. Bytes; null where the host does not say. */
export interface HostMemory {
  /** The smallest limit in force: MemTotal, or a cgroup limit of the login or one of its ancestors. */
  readonly totalBytes: number | null;
  /**
   * The least of MemAvailable and, over the cgroup and its ancestors, limit minus working set (page cache excluded).
   * What an allocation could still get here.
   */
  readonly availableBytes: number | null;
  /** What set `totalBytes`: the machine, or the path of the cgroup whose limit is smaller. */
  readonly limitedBy: { readonly kind: 'machine' } | { readonly kind: 'cgroup'; readonly path: string };
  /** `oom_kill` of /proc/vmstat: kills by the kernel on this machine since boot (kernel 4.13 and later). */
  readonly oomKills: number | null;
  /** Share of the last 10 s in which some task waited for memory, per cent (/proc/pressure/memory, kernel 4.20 and later). */
  readonly pressureSome10: number | null;
}
