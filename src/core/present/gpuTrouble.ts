import type { GpuToolFailure } from '../gpu/reading';
import { queryIntervalMs } from '../host/watchPace';
import type { GpuWatch } from '../model/state';
import { formatDuration } from './format';
import { plain } from './plain';

/** Why a host's GPUs cannot be read, or not all of them, in words. */
export interface GpuTrouble {
  /** "no NVIDIA driver": for the status bar, up to 30 characters. */
  readonly short: string;
  /** What happened, a sentence. */
  readonly message: string;
  /** What to do about it. */
  readonly advice: string;
  /** The tool's own words, made plain; null when it had none. */
  readonly toolSaid: string | null;
  /** There are readings beside it that can be trusted. */
  readonly besideReadings: boolean;
}

/** An answer is overdue after this, or when the next one would be due: without persistence mode, 24 s are normal. */
const overdueAfterMs = 5000;

export function gpuTrouble(gpu: GpuWatch): GpuTrouble | null {
  const { reading, unansweredForMs } = gpu;
  if (gpu.noTool) return { ...words.noTool, toolSaid: null, besideReadings: false };
  if (gpu.broken !== null)
    return {
      short: 'GPUs cannot be asked',
      message: `The GPUs cannot be asked: ${plain(gpu.broken)}.`,
      advice: 'The host needs a folder of yours for temporary files, such as /tmp. Connect again once there is one.',
      toolSaid: null,
      besideReadings: false,
    };
  if (
    unansweredForMs !== null &&
    unansweredForMs >= Math.max(overdueAfterMs, queryIntervalMs(reading?.durationMs ?? 0))
  )
    return {
      short: 'nvidia-smi hangs',
      message: `nvidia-smi has not answered for ${formatDuration(unansweredForMs)}.`,
      advice:
        'A query is never started twice. If it does not come back, the driver is stuck: look for “Xid” in the kernel log.',
      toolSaid: null,
      besideReadings: false,
    };
  if (reading === null) return null;
  if (reading.error === null) return slowTool(reading.durationMs);
  return {
    ...words[reading.error],
    toolSaid: reading.message === null ? null : plain(reading.message, 300),
    besideReadings: reading.gpus.length > 0,
  };
}

/** Asked so seldom, numbers grow old in between, and the user should know why. */
const seldomMs = 10_000;

/** Without persistence mode the driver is loaded and unloaded for each query (NVIDIA, "Driver Persistence"). */
function slowTool(durationMs: number): GpuTrouble | null {
  const intervalMs = queryIntervalMs(durationMs);
  if (intervalMs <= seldomMs) return null;
  return {
    short: 'nvidia-smi is slow',
    message: `nvidia-smi takes ${formatDuration(durationMs)} to answer, so it is asked every ${formatDuration(intervalMs)} only.`,
    advice: 'Persistence mode usually makes it fast: “nvidia-smi -pm 1” as root on the host.',
    toolSaid: null,
    besideReadings: true,
  };
}

/** A card with a fault is never shown with numbers: its memory may read 0, which would look free. */
export const faultWords = {
  lost: {
    short: 'lost',
    message: 'This GPU has fallen off the bus.',
    advice: 'Reboot the host. If it happens again, look for “Xid” in the kernel log and check the power of the card.',
  },
  requiresReset: {
    short: 'requires a reset',
    message: 'This GPU cannot be used until it is reset.',
    advice: 'End what uses it, then run “nvidia-smi --gpu-reset” as root, or reboot the host.',
  },
} as const;

const words: Readonly<Record<GpuToolFailure, Pick<GpuTrouble, 'short' | 'message' | 'advice'>>> = {
  noTool: {
    short: 'no nvidia-smi',
    message: 'nvidia-smi was not found on this host.',
    advice: 'If it has an NVIDIA GPU, say where nvidia-smi is in the setting “headroom.nvidiaSmiPath”.',
  },
  noDriver: {
    short: 'no NVIDIA driver',
    message: 'nvidia-smi cannot reach the NVIDIA driver.',
    advice: 'The driver is not installed or not loaded; after a kernel update it may have to be built again.',
  },
  driverMismatch: {
    short: 'NVIDIA driver mismatch',
    message: 'The loaded NVIDIA driver and its library are of different versions, as after an update.',
    advice: 'Reboot the host, or unload the nvidia modules and load them again.',
  },
  gpuLost: {
    short: 'GPU lost',
    message: 'A GPU has fallen off the bus.',
    advice: faultWords.lost.advice,
  },
  noDevices: {
    short: 'no GPUs found',
    message: 'nvidia-smi finds no GPU.',
    advice: 'In a container, the GPUs have to be passed in; elsewhere, check whether lspci lists them.',
  },
  permission: {
    short: 'no permission for GPUs',
    message: 'This account may not read the GPUs.',
    advice: 'Ask for access to /dev/nvidia* on the host, or for a job that has GPUs.',
  },
  invalidField: {
    short: 'nvidia-smi too old',
    message: 'nvidia-smi does not know what it was asked.',
    advice: 'Its driver is too old to be watched: update it.',
  },
  unsupportedTool: {
    short: 'GPU tool not supported',
    message: 'The tool that answered is not nvidia-smi.',
    advice: 'Only NVIDIA GPUs can be watched. Check the setting “headroom.nvidiaSmiPath”.',
  },
  unknown: {
    short: 'nvidia-smi failed',
    message: 'nvidia-smi failed in a way that Headroom does not know.',
    advice: 'Run nvidia-smi on the host to see what it says.',
  },
};
