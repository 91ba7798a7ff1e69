import { expect, test } from 'vitest';
import { readNvidiaSmi } from '../../../src/core/gpu/nvidiaSmi';
import { appArgs, check, gpuArgs } from './check';

const commands = [gpuArgs('index,name'), gpuArgs('name'), appArgs(), 'nvidia-smi -L', 'nvidia-smi -q -x', 'nvidia-smi'];

test.each([
  [
    "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that it is running.\n\n",
    9,
    'noDriver',
  ],
  [
    "NVIDIA-SMI couldn't find libnvidia-ml.so library in your system. Please make sure.\nPlease also try adding.\n",
    12,
    'noDriver',
  ],
  ['Failed to initialize NVML: Driver/library version mismatch\nNVML library version: 535.161\n', 18, 'driverMismatch'],
  ['Failed to initialize NVML: Unknown Error\n', 255, 'unknown'],
  ['Failed to initialize NVML: Insufficient Permissions\n', 4, 'permission'],
  ['Failed to initialize NVML: GPU is lost\n', 15, 'gpuLost'],
  ['Failed to initialize NVML: Driver Not Loaded\n', 9, 'noDriver'],
  ['No devices were found\n', 6, 'noDevices'],
  ['Unable to determine the number of GPUs\nNo supported GPUs were found\n', 255, 'noDevices'],
  ['Unable to determine the device handle for GPU0000:01:00.0: Unknown Error\n', 255, 'gpuLost'],
  ['Unable to determine the device handle for GPU0000:01:00.0: Not Found\n', 255, 'gpuLost'],
  ['Unable to determine the device handle for GPU 0000:01:00.0: Insufficient Permissions\n', 255, 'permission'],
  ['Field "mig.mode.current" is not a valid field to query.\n\n', 2, 'invalidField'],
  [
    'GPU access blocked by the operating system\nFailed to properly shut down NVML: GPU access blocked\n',
    17,
    'unknown',
  ],
  ["ERROR: Option --x is not recognized. Please run 'nvidia-smi -h'.\n", 2, 'unknown'],
  ['sh: 1: nvidia-smi: not found\n', 127, 'noTool'],
  ['bash: line 1: nvidia-smi: command not found\n', 127, 'noTool'],
  ['zsh: command not found: nvidia-smi\n', 127, 'noTool'],
  ['timeout: failed to run command ‘nvidia-smi’: No such file or directory\n', 127, 'noTool'],
  ["Command 'nvidia-smi' not found, but can be installed with:\napt install nvidia-utils\n", 127, 'noTool'],
  [
    "'nvidia-smi' is not recognized as an internal or external command,\r\noperable program or batch file.\r\n",
    1,
    'noTool',
  ],
] as const)('%j is said, whatever was asked and whether or not the exit code was told', (text, exitCode, error) => {
  for (const args of commands) {
    check({ args, text, exitCode }, { error });
    check({ args, text, exitCode: null }, { error });
  }
});

test.each([
  [2, 'invalidField'],
  [4, 'permission'],
  [6, 'noDevices'],
  [9, 'noDriver'],
  [12, 'noDriver'],
  [15, 'gpuLost'],
  [18, 'driverMismatch'],
  [127, 'noTool'],
  [3, 'unknown'],
  [124, 'unknown'],
  [255, 'unknown'],
] as const)('an exit code of %i without a word is %s', (exitCode, error) => {
  for (const args of commands) check({ args, text: '', exitCode }, { error });
});

test('an infoROM warning and its exit code take nothing from a healthy row', () => {
  const result = readNvidiaSmi({
    args: gpuArgs('index,name'),
    exitCode: 14,
    text: '0, NVIDIA L4\nWARNING: infoROM is corrupted at gpu 0000:01:00.0\n',
  });
  expect(result).toMatchObject({
    error: null,
    partial: false,
    message: 'WARNING: infoROM is corrupted at gpu 0000:01:00.0',
  });
  expect(result.gpus).toHaveLength(1);
});

test('a message is kept short', () => {
  expect(readNvidiaSmi({ args: 'nvidia-smi -L', exitCode: 1, text: 'x'.repeat(1e5) }).message).toHaveLength(2000);
});

test.each([
  'rocm-smi --json',
  'amd-smi metric --json',
  'xpu-smi dump',
  'tegrastats',
  '',
  'my-nvidia-smi -L',
  'nvidia-smi dmon',
  'nvidia-smi',
])('"%s" has no reader', args => check({ args, text: 'whatever\n' }, { error: 'unsupportedTool' }));
