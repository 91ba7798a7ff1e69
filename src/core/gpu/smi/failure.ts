import type { GpuToolFailure } from '../reading';

/** What a line says went wrong, and of how much. */
export interface SpokenFailure {
  readonly kind: GpuToolFailure;
  /** `tool`: the whole run gave nothing, so no line of it is a row. `device`: one device is missing among the others. */
  readonly of: 'tool' | 'device';
}

/** Anchored at the start of the line, so that a process that is named like an error is none. First match wins. */
const toolTexts: readonly (readonly [RegExp, GpuToolFailure])[] = [
  [/^nvidia-smi has failed because it couldn't communicate with (the )?nvidia driver/i, 'noDriver'],
  [/^nvidia-smi couldn't find (libnvidia-ml|nvml)/i, 'noDriver'],
  [/^nvidia-smi has failed because you do(n't| not) have .*permission/i, 'permission'],
  [/^nvidia-smi: error while loading shared libraries/i, 'noDriver'],
  [/^failed to initialize nvml: driver\/library version mismatch/i, 'driverMismatch'],
  [/^failed to initialize nvml: (insufficient|no) permissions?/i, 'permission'],
  [/^failed to initialize nvml: gpu is lost/i, 'gpuLost'],
  [/^failed to initialize nvml: (driver not loaded|nvml shared library not found|.*not found)/i, 'noDriver'],
  [/^failed to initialize nvml/i, 'unknown'],
  [/^no devices (were )?found/i, 'noDevices'],
  [/^no supported gpus were found/i, 'noDevices'],
  [/^unable to determine the number of gpus/i, 'noDevices'],
  [/^(error: )?field "[^"]*" is not a valid field to query/i, 'invalidField'],
  [/^gpu access blocked by the operating system/i, 'unknown'],
  [
    /^(error: )?(option .* is (not recognized|missing its value)|format .* is not recognized|"--format=" switch is missing|invalid combination of input)/i,
    'unknown',
  ],
  [/^[^,]*nvidia-smi(\.exe)?['"’]?: (command )?not found$/i, 'noTool'],
  [/^[^,]*(command not found|unknown command):? ['"]?\S*nvidia-smi(\.exe)?['"]?$/i, 'noTool'],
  [/^command ['"]?nvidia-smi['"]? not found/i, 'noTool'],
  [
    /^[^,]*nvidia-smi(\.exe)?['"’]?:? (no such file or directory|executable file not found|is not recognized as)/i,
    'noTool',
  ],
  [/^[^,]*nvidia-smi(\.exe)?['"’]?: permission denied$/i, 'permission'],
];

/** "gpu 0000:18:00.0", "GPU0000:18:00.0", "GPU 0": the wording changes with the version, the reason after the last colon decides. */
const deviceHandle = /^unable to determine the device handle for gpu/i;
const lostDevice = /^[^,<[]*\bgpu is lost\b/i;

export function spokenFailure(line: string): SpokenFailure | null {
  const text = line.trim();
  if (deviceHandle.test(text)) return { kind: handleFailure(text), of: 'device' };
  for (const [pattern, kind] of toolTexts) if (pattern.test(text)) return { kind, of: 'tool' };
  return lostDevice.test(text) ? { kind: 'gpuLost', of: 'device' } : null;
}

/** A card that has fallen off the bus often gives no better reason than "Unknown Error". */
function handleFailure(text: string): GpuToolFailure {
  if (/insufficient permissions/i.test(text)) return 'permission';
  return /: (unknown error|gpu is lost|not found)/i.test(text) ? 'gpuLost' : 'unknown';
}

/**
 * What an exit code means when no text said it and nothing was readable. The codes are nvmlReturn_t where that is below 255
 * (nvidia-smi(1), RETURN VALUE); 126 and 127 are the shell's.
 */
export function failureOfExitCode(exitCode: number): GpuToolFailure {
  switch (exitCode) {
    case 2:
      return 'invalidField';
    case 4:
    case 126:
      return 'permission';
    case 6:
      return 'noDevices';
    case 9:
    case 12:
      return 'noDriver';
    case 15:
      return 'gpuLost';
    case 18:
      return 'driverMismatch';
    case 127:
      return 'noTool';
    default:
      return 'unknown';
  }
}
