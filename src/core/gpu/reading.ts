/**
 * What GPUs tell of themselves. "Not available" is `null`: never 0, which would read as idle, and never NaN.
 * Bytes are exact integers (MiB × 2^20 as printed), watts and °C as printed.
 */

/** One device at one moment. */
export interface GpuReading {
  /** The vendor tool's index; gaps stay when a card is lost. */
  readonly index: number;
  readonly uuid: string | null;
  readonly name: string | null;
  readonly memoryTotalBytes: number | null;
  /** As `memory.used` prints it; the driver's own reserve is not in it. */
  readonly memoryUsedBytes: number | null;
  /** Per cent of the last sampling window in which any kernel ran. Says nothing about how full the card is. */
  readonly utilization: number | null;
  /** Mean over one second on Ampere and newer, instantaneous before. */
  readonly powerWatts: number | null;
  readonly powerLimitWatts: number | null;
  readonly temperatureC: number | null;
  /** null: not asked, or a card that cannot. */
  readonly migEnabled: boolean | null;
  /** MIG devices as `-L` lists them; null where they were not listed. */
  readonly migDevices: readonly MigDevice[] | null;
  /** Why this device's readings are missing or not to be trusted; null for a healthy one. */
  readonly fault: GpuFault | null;
}

export type GpuFault = 'lost' | 'requiresReset';

export interface MigDevice {
  readonly index: number;
  readonly uuid: string;
  /** "1g.10gb", "1c.3g.71gb". */
  readonly profile: string;
}

/** A process that a GPU tool lists. Its pid may belong to another pid namespace: never signal it. */
export interface GpuProcess {
  /** The GPU's uuid, else its index as text, else null. */
  readonly gpu: string | null;
  readonly pid: number;
  readonly name: string | null;
  readonly memoryBytes: number | null;
}

/** A process as a tool listed it; a query that did not ask for pids lists processes all the same. */
export interface ListedGpuProcess extends Omit<GpuProcess, 'pid'> {
  readonly pid: number | null;
}

/** Why a GPU tool gave nothing, or not everything. */
export type GpuToolFailure =
  | 'noTool'
  | 'noDriver'
  | 'driverMismatch'
  | 'gpuLost'
  | 'noDevices'
  | 'permission'
  | 'invalidField'
  | 'unsupportedTool'
  | 'unknown';

/** One run of a GPU tool, read. Rows and an error can come together. */
export interface GpuToolResult {
  readonly gpus: readonly GpuReading[];
  readonly processes: readonly ListedGpuProcess[];
  readonly error: GpuToolFailure | null;
  /** Some rows or devices were readable and others were not. */
  readonly partial: boolean;
  /** The tool's own words beside the rows (warnings, failure texts), untrusted, for a tooltip. */
  readonly message: string | null;
}
