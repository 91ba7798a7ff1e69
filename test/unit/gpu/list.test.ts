import { test } from 'vitest';
import { check } from './check';

test('MIG devices as drivers before R470 named them', () => {
  check(
    {
      args: 'nvidia-smi --list-gpus',
      text: 'GPU 0: A100-SXM4-40GB (UUID: GPU-1)\n  MIG 1g.5gb Device 0: (UUID: MIG-GPU-1/7/0)\n  MIG 1g.5gb+me Device 1: (UUID: MIG-GPU-1/8/0)\n',
    },
    {
      gpus: [
        {
          uuid: 'GPU-1',
          name: 'A100-SXM4-40GB',
          migEnabled: true,
          migDevices: [
            { index: 0, uuid: 'MIG-GPU-1/7/0', profile: '1g.5gb' },
            { index: 1, uuid: 'MIG-GPU-1/8/0', profile: '1g.5gb+me' },
          ],
        },
      ],
    },
  );
});

test('a name with parentheses, a uuid without prefix, lines that end in CRLF', () => {
  check(
    {
      args: 'nvidia-smi.exe -L',
      text: 'GPU 0: Orin (nvgpu) (UUID: 54b2a1c0-0000)\r\nGPU 11: NVIDIA L4 (UUID: GPU-2)\r\n',
    },
    {
      gpus: [
        { index: 0, uuid: '54b2a1c0-0000', name: 'Orin (nvgpu)' },
        { index: 11, uuid: 'GPU-2', name: 'NVIDIA L4' },
      ],
    },
  );
});

test('a card that is lost leaves a gap and is told', () => {
  check(
    {
      args: 'nvidia-smi -L',
      exitCode: 0,
      text: 'GPU 0: NVIDIA A10 (UUID: GPU-1)\nUnable to determine the device handle for GPU0000:41:00.0: GPU is lost.  Reboot the system to recover this GPU\n',
    },
    { gpus: [{ uuid: 'GPU-1', name: 'NVIDIA A10' }], error: 'gpuLost', partial: true },
  );
});

test('no cards', () => {
  check({ args: 'nvidia-smi -L', exitCode: 6, text: 'No devices found.\n' }, { error: 'noDevices' });
});
