/**
 * What the watch loop asks of nvidia-smi. One field that a driver does not know makes the tool refuse the whole query with
 * exit code 2, so the full set is asked first, and after a refusal the base set, which old drivers know too.
 */
export const baseFields = [
  'index',
  'uuid',
  'name',
  'memory.total',
  'memory.used',
  'utilization.gpu',
  'temperature.gpu',
  'power.draw',
  'power.limit',
] as const;

export const fullFields = [...baseFields, 'enforced.power.limit', 'mig.mode.current'] as const;

export const processFields = ['gpu_uuid', 'pid', 'process_name', 'used_gpu_memory'] as const;

/** The command lines, as `readNvidiaSmi` wants to be told them. With a header, so that columns are known by their names. */
export const gpuQuery = (fields: readonly string[]): string =>
  `nvidia-smi --query-gpu=${fields.join(',')} --format=csv`;
export const processQuery = `nvidia-smi --query-compute-apps=${processFields.join(',')} --format=csv`;
export const listQuery = 'nvidia-smi -L';
