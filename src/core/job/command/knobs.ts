/** A kind of number that trades memory for speed. */
export interface Knob {
  readonly memory: 'gpu' | 'host';
  readonly direction: 'smallerSavesMemory' | 'largerSavesMemory';
  /** Below it there is nothing to save; null where the number says so itself (a fraction). */
  readonly floor: number | null;
  /** What a person would change first has the lowest. */
  readonly order: number;
}

interface Row {
  readonly memory: Knob['memory'];
  readonly up?: true;
  readonly floor?: number;
  /** The words that must stand in the command, for names that mean different things to different programs. */
  readonly only?: RegExp;
  readonly not?: RegExp;
  /** Flags and keys: lower case, without dashes in front, `_` for `-`. */
  readonly names?: string;
  /** Variables of the environment, as they are. */
  readonly env?: string;
  /** Short flags, as they are. */
  readonly short?: string;
}

// As a target of make it is no program.
const llama = /^\S*\bllama-(?:server|cli|bench)\b/;
const sglang = /\bsglang\b/;
const fairseq = /\bfairseq\b/;

/**
 * In the order in which a person who ran out of memory would try them, as the programs' documentation and maintainers
 * advise; GPU memory first. A row that names its program goes before one that does not.
 */
const rows: readonly Row[] = [
  { memory: 'host', env: 'VLLM_CPU_KVCACHE_SPACE' },
  {
    memory: 'gpu',
    names: 'chunked_prefill_size max_batch_prefill_tokens',
    env: 'MAX_BATCH_PREFILL_TOKENS',
  },
  { memory: 'gpu', only: fairseq, names: 'max_tokens' },
  { memory: 'gpu', only: llama, up: true, names: 'n_cpu_moe' },
  {
    memory: 'gpu',
    floor: 1,
    names:
      'per_device_train_batch_size train_batch_size micro_batch_size micro_train_batch_size micro_rollout_batch_size ' +
      'train_micro_batch_size_per_gpu device_train_microbatch_size device_batch_size local_batch_size ' +
      'per_device_batch_size per_gpu_train_batch_size batch_size batch_size_per_gpu batch bsz bs batchsize batch_tokens ' +
      'batch_bins ims_per_batch samples_per_gpu num_envs train_num_rays_per_batch ppo_micro_batch_size_per_gpu',
  },
  { memory: 'gpu', floor: 1, not: llama, short: '-b -bs' },
  { memory: 'gpu', only: sglang, names: 'max_running_requests' },
  { memory: 'gpu', only: sglang, names: 'mem_fraction_static' },
  { memory: 'gpu', only: sglang, names: 'cuda_graph_max_bs' },
  { memory: 'gpu', only: llama, names: 'ctx_size', short: '-c', env: 'LLAMA_ARG_CTX_SIZE' },
  { memory: 'gpu', only: llama, names: 'n_gpu_layers gpu_layers', short: '-ngl', env: 'LLAMA_ARG_N_GPU_LAYERS' },
  {
    memory: 'gpu',
    names:
      'max_seq_len max_seq_length seq_len seq_length sequence_len sequence_length block_size cutoff_len ' +
      'model_max_length max_length max_len max_model_len context_length context_len session_len n_ctx max_target_length ' +
      'max_completion_length max_prompt_length generate_max_len prompt_max_len',
    env: 'OLLAMA_CONTEXT_LENGTH',
  },
  { memory: 'gpu', names: 'resolution img_size image_size imgsz img max_size_train' },
  { memory: 'gpu', names: 'max_bucket_reso max_pixels' },
  { memory: 'gpu', floor: 1, names: 'max_batch_total_tokens max_num_seqs', env: 'OLLAMA_NUM_PARALLEL' },
  { memory: 'gpu', floor: 1, names: 'max_total_tokens', env: 'MAX_TOTAL_TOKENS OLLAMA_MAX_LOADED_MODELS' },
  { memory: 'gpu', floor: 1, names: 'max_input_tokens max_input_length', env: 'MAX_INPUT_LENGTH MAX_INPUT_TOKENS' },
  { memory: 'gpu', floor: 1, names: 'max_num_batched_tokens max_batch_size max_num_tokens beam beam_size' },
  { memory: 'gpu', only: llama, floor: 1, names: 'ubatch_size', short: '-ub', env: 'LLAMA_ARG_UBATCH' },
  { memory: 'gpu', only: llama, floor: 1, names: 'batch_size', short: '-b', env: 'LLAMA_ARG_BATCH' },
  {
    memory: 'gpu',
    names:
      'gpu_memory_utilization vllm_gpu_memory_utilization cuda_memory_fraction kv_cache_free_gpu_memory_fraction ' +
      'cache_max_entry_count',
    env: 'XLA_PYTHON_CLIENT_MEM_FRACTION XLA_CLIENT_MEM_FRACTION',
  },
  { memory: 'gpu', floor: 1, names: 'limit_mm_per_prompt.image limit_mm_per_prompt.video' },
  {
    memory: 'gpu',
    floor: 1,
    names: 'per_device_eval_batch_size eval_batch_size sample_batch_size num_generations',
  },
  {
    memory: 'gpu',
    up: true,
    names:
      'gradient_accumulation_steps grad_accum_steps update_freq accum_grad accum accumulation_steps ' +
      'accumulate_grad_batches',
  },
  { memory: 'gpu', up: true, names: 'cpu_offload_gb reserve_vram' },
  {
    memory: 'host',
    floor: 1,
    names: 'max_jobs jobs parallel',
    env: 'NVTE_BUILD_MAX_JOBS MAX_JOBS CMAKE_BUILD_PARALLEL_LEVEL APEX_PARALLEL_BUILD',
  },
  { memory: 'host', floor: 1, names: 'nvcc_threads', env: 'NVCC_THREADS NVTE_BUILD_THREADS_PER_JOB' },
  {
    memory: 'host',
    floor: 0,
    names:
      'num_workers workers dataloader_num_workers max_data_loader_n_workers data_loader_workers workers_per_gpu ' +
      'prefetch_factor',
  },
  { memory: 'host', floor: 1, not: llama, short: '-j' },
  { memory: 'host', floor: 1, names: 'preprocessing_num_workers dataset_num_proc num_proc nj' },
  { memory: 'host', names: 'swap_space cache_ram mm_processor_cache_gb local_ram_resources local_resources' },
];

/** The program works on the processor: what would be GPU memory is the host's. */
const onProcessor = /(?:^|\s)--?device[= ]cpu\b|\bVLLM_CPU_/;

interface Entry {
  readonly row: Row;
  readonly knob: Knob;
}

function index(field: 'names' | 'env' | 'short'): ReadonlyMap<string, readonly Entry[]> {
  const found = new Map<string, Entry[]>();
  for (const [order, row] of rows.entries()) {
    const direction = row.up === true ? 'largerSavesMemory' : 'smallerSavesMemory';
    const knob: Knob = { memory: row.memory, direction, floor: row.floor ?? null, order };
    for (const name of row[field]?.split(' ') ?? []) found.set(name, [...(found.get(name) ?? []), { row, knob }]);
  }
  return found;
}

const byName = index('names');
const byVariable = index('env');
const byShortFlag = index('short');

/**
 * Which knob a flag or key is to the program; null for none. Flags have their dashes. `command` holds the program's words and
 * the names of the variables beside them.
 */
export function knobOfName(name: string, command: string): Knob | null {
  const short = choose(byShortFlag.get(name), command);
  if (short !== null) return short;
  // One dash before a single letter is a short flag, and its meaning is the program's.
  if (/^-[A-Za-z]$/.test(name)) return null;
  const normal = name.replace(/^-+/, '').toLowerCase().replaceAll('-', '_');
  return choose(byName.get(normal) ?? byName.get(normal.slice(normal.lastIndexOf('.') + 1)), command);
}

export function knobOfVariable(variable: string, command: string): Knob | null {
  return choose(byVariable.get(variable), command);
}

function choose(entries: readonly Entry[] | undefined, command: string): Knob | null {
  const fitting = entries?.filter(({ row }) => (row.only?.test(command) ?? true) && !(row.not?.test(command) ?? false));
  const chosen = fitting?.find(({ row }) => row.only !== undefined) ?? fitting?.[0];
  if (chosen === undefined) return null;
  return onProcessor.test(command) ? { ...chosen.knob, memory: 'host' } : chosen.knob;
}
