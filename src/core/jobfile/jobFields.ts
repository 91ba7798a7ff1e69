import { parseHostSpec } from '../host/hostSpec';
import type { FitsAfter, GpuWish, Job, Output, Parameter, ParameterPlace } from '../job/job';
import type { JobFileDefaults } from './jobFileProblem';
import type { Entry, Reader, YamlNode } from './reader';

export const jobKeys = [
  'host',
  'cwd',
  'setup',
  'run',
  'env',
  'envFile',
  'gpus',
  'parameters',
  'outputs',
  'fitsAfter',
] as const;

export const outputChoices = ['ask', 'keep', 'setAside'] as const;

/** POSIX names for variables, which every shell takes. */
const variableName = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Names stand in trees, notifications and the environment of the job. */
const longestName = 60;

/** One job; null when it lacks what it cannot be without. What else is wrong stands in the reader's problems. */
export function readJob(reader: Reader, { key: name, keyNode, value }: Entry, defaults: JobFileDefaults): Job | null {
  if (name.trim() !== name || name === '' || name.length > longestName || /\p{Cc}/u.test(name)) {
    reader.problem(keyNode, `A job's name has 1 to ${longestName} characters, and no blank at its ends.`);
  }
  const entries = reader.entries(value ?? keyNode, `The job “${name}”`, jobKeys, 'run: python train.py');
  if (entries === null) return null;
  const field = <T>(key: (typeof jobKeys)[number], otherwise: T, read: (node: YamlNode) => T | null): T => {
    const entry = entries.find(candidate => candidate.key === key);
    return entry === undefined ? otherwise : (read(entry.value ?? entry.keyNode) ?? otherwise);
  };

  const run = field<string | null>('run', null, node => reader.text(node, '“run”', 'run: python train.py'));
  if (!entries.some(({ key }) => key === 'run')) {
    reader.problem(keyNode, `The job “${name}” has nothing to run. Write: run: python train.py`);
  }
  const host = field<string | null>('host', defaults.host, node => readHost(reader, node));
  if (host === null && !entries.some(({ key }) => key === 'host')) {
    reader.problem(
      keyNode,
      `The job “${name}” has no host. Write: host: user@machine, or an alias of your SSH configuration`,
    );
  }
  const cwd = field('cwd', defaults.cwd, node => readFolder(reader, node));
  const job = {
    name,
    cwd,
    setup: field<readonly string[]>('setup', [], node => readSetup(reader, node)),
    env: field<ReadonlyMap<string, string>>('env', new Map(), node => readVariables(reader, node)),
    envFile: field<string | null>('envFile', null, node => readFile(reader, node, cwd)),
    gpus: field<GpuWish>('gpus', { kind: 'unpinned' }, node => readGpus(reader, node)),
    parameters: field<readonly Parameter[]>('parameters', [], node => readParameters(reader, node)),
    outputs: field<readonly Output[]>('outputs', [], node => readOutputs(reader, node)),
    fitsAfter: field<FitsAfter | null>('fitsAfter', null, node => readFitsAfter(reader, node)),
  };
  return run === null || host === null ? null : { ...job, run, host };
}

function readHost(reader: Reader, node: YamlNode): string | null {
  const text = reader.text(node, '“host”', 'host: user@machine');
  if (text === null) return null;
  const parsed = parseHostSpec(text);
  if (parsed.kind === 'host') return parsed.spec.id;
  const { message, advice } = parsed.failure;
  return reader.problem(node, `${message} ${advice.replace(/^Type/, 'Write')}`);
}

function readFolder(reader: Reader, node: YamlNode): string | null {
  const text = reader.text(node, '“cwd”', 'cwd: ~/train');
  if (text === null || /^(?:\/|~(?:\/|$))/.test(text)) return text;
  return reader.problem(node, `“cwd” must begin with “/” or “~/”. Write: cwd: ~/${text.replace(/^\.?\//, '')}`);
}

/** A file that is not named from the root or a home is in the job's folder. */
function readFile(reader: Reader, node: YamlNode, cwd: string): string | null {
  const text = reader.text(node, '“envFile”', 'envFile: ~/.env');
  if (text === null || /^(?:\/|~(?:\/|$))/.test(text)) return text;
  return `${cwd.replace(/\/$/, '')}/${text.replace(/^(?:\.\/)+/, '')}`;
}

function readSetup(reader: Reader, node: YamlNode): readonly string[] | null {
  const example = 'setup: [ "source .venv/bin/activate" ]';
  const items = reader.items(node, '“setup”', example);
  return items?.flatMap(item => reader.text(item, 'A line of “setup”', example) ?? []) ?? null;
}

function readVariables(reader: Reader, node: YamlNode): ReadonlyMap<string, string> | null {
  const entries = reader.entries(node, '“env”', null, 'env: { WANDB_MODE: offline }');
  if (entries === null) return null;
  const variables = new Map<string, string>();
  for (const { key, keyNode, value } of entries) {
    if (!variableName.test(key)) {
      reader.problem(keyNode, `“${key}” cannot name a variable: only letters, digits and “_” can, and no digit first.`);
      continue;
    }
    const text = reader.written(value ?? keyNode, `The value of ${key}`, `${key}: ""`);
    if (text?.includes('\0') === true) reader.problem(value, `The value of ${key} has a NUL character in it.`);
    else if (text !== null) variables.set(key, text);
  }
  return variables;
}

function readGpus(reader: Reader, node: YamlNode): GpuWish | null {
  const target = reader.target(node);
  if (target !== null && 'value' in target) {
    if (target.value === 'all') return { kind: 'all' };
    if (isCount(target.value, 1)) return { kind: 'anyFree', count: target.value };
  } else if (target !== null && 'items' in target) {
    const items = reader.items(node, '“gpus”', 'gpus: [0, 1]') ?? [];
    const indices = items.map(item => reader.number(item, 'A GPU', 'gpus: [0, 1]'));
    if (indices.length > 0 && indices.every(index => index === null || isCount(index, 0))) {
      const known = indices.filter(index => index !== null);
      if (new Set(known).size < known.length) return reader.problem(node, 'A GPU stands in the list twice.');
      return { kind: 'indices', indices: known };
    }
  }
  return reader.problem(
    node,
    '“gpus” must be a number (any so many free ones), a list of their numbers, or “all”. Write: gpus: 4',
  );
}

const isCount = (value: unknown, least: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= least && value <= 1024;

const parameterKeys = ['flag', 'env', 'assignment', 'step', 'min', 'max'] as const;
const parameterExample = '{ flag: --max-seq-len, step: 1024, min: 4096 }';

function readParameters(reader: Reader, node: YamlNode): readonly Parameter[] | null {
  const named = reader.entries(node, '“parameters”', null, `max-seq-len: ${parameterExample}`);
  return named?.flatMap(entry => readParameter(reader, entry) ?? []) ?? null;
}

function readParameter(reader: Reader, { key: name, keyNode, value }: Entry): Parameter | null {
  const what = `The parameter “${name}”`;
  const entries = reader.entries(value ?? keyNode, what, parameterKeys, `${name}: ${parameterExample}`);
  if (entries === null) return null;
  const places = entries.flatMap(entry => placeOf(reader, entry) ?? []);
  const numbers = new Map<string, { readonly value: number; readonly node: YamlNode }>();
  for (const entry of entries) {
    if (entry.key !== 'step' && entry.key !== 'min' && entry.key !== 'max') continue;
    const number = reader.number(entry.value ?? entry.keyNode, `“${entry.key}”`, `${entry.key}: 1024`);
    if (number !== null) numbers.set(entry.key, { value: number, node: entry.value });
  }
  const step = numbers.get('step');
  const min = numbers.get('min');
  const max = numbers.get('max');
  if (step !== undefined && step.value <= 0) reader.problem(step.node, '“step” must be above 0. Write: step: 1');
  if (min !== undefined && max !== undefined && min.value > max.value) {
    reader.problem(max.node, `“max” (${max.value}) is below “min” (${min.value}).`);
  }
  const written = entries.filter(({ key }) => key === 'flag' || key === 'env' || key === 'assignment').length;
  if (written !== 1) {
    return reader.problem(
      keyNode,
      `${what} must have one of flag, env and assignment. Write: ${name}: ${parameterExample}`,
    );
  }
  const place = places[0];
  if (place === undefined) return null;
  return { name, place, step: step?.value ?? null, min: min?.value ?? null, max: max?.value ?? null };
}

function placeOf(reader: Reader, { key, keyNode, value }: Entry): ParameterPlace | null {
  const node = value ?? keyNode;
  switch (key) {
    case 'flag': {
      const flag = reader.text(node, '“flag”', 'flag: --max-seq-len');
      if (flag === null || /^--?[A-Za-z][\w.-]*$/.test(flag)) return flag === null ? null : { kind: 'flag', flag };
      const name = flag.replace(/^-+/, '').replace(/[= ].*$/, '');
      return reader.problem(node, `“${flag}” is not a flag. Write: flag: --${name === '' ? 'max-seq-len' : name}`);
    }
    case 'env': {
      const variable = reader.text(node, '“env”', 'env: MAX_JOBS');
      if (variable === null || variableName.test(variable)) {
        return variable === null ? null : { kind: 'env', variable };
      }
      return reader.problem(node, `“${variable}” cannot name a variable. Write: env: MAX_JOBS`);
    }
    case 'assignment': {
      const name = reader.text(node, '“assignment”', 'assignment: batch_size');
      if (name === null || /^[A-Za-z_][\w./-]*$/.test(name))
        return name === null ? null : { kind: 'assignment', key: name };
      return reader.problem(node, `“${name}” is not a key. Write: assignment: batch_size`);
    }
    default:
      return null;
  }
}

function readOutputs(reader: Reader, node: YamlNode): readonly Output[] | null {
  const example = 'outputs: [ { path: out/train, onRelaunch: ask } ]';
  return reader.items(node, '“outputs”', example)?.flatMap(item => readOutput(reader, item, example) ?? []) ?? null;
}

function readOutput(reader: Reader, node: YamlNode, example: string): Output | null {
  const target = reader.target(node);
  if (target === null || !('items' in target)) {
    const path = reader.text(node, 'An output', example);
    return path === null ? null : checkedPath(reader, node, { path, onRelaunch: 'ask' });
  }
  const entries = reader.entries(node, 'An output', ['path', 'onRelaunch'], example);
  if (entries === null) return null;
  const path = entries.find(({ key }) => key === 'path');
  const choice = entries.find(({ key }) => key === 'onRelaunch');
  const onRelaunch =
    choice === undefined ? 'ask' : reader.oneOf(choice.value ?? choice.keyNode, '“onRelaunch”', outputChoices);
  if (path === undefined) return reader.problem(node, `An output has no path. Write: ${example}`);
  const text = reader.text(path.value ?? path.keyNode, '“path”', example);
  return text === null ? null : checkedPath(reader, path.value, { path: text, onRelaunch: onRelaunch ?? 'ask' });
}

/** What holds more than the job's outputs must never be set aside. */
function checkedPath(reader: Reader, node: YamlNode, output: Output): Output | null {
  const path = output.path.replace(/\/+$/, '');
  if (!['', '.', '..', '~'].includes(path) && !path.endsWith('/..')) return output;
  return reader.problem(
    node,
    `“${output.path}” holds more than the outputs of this job. Name the folder that the job makes.`,
  );
}

const unitsMs: Readonly<Record<string, number>> = { s: 1000, m: 60_000, min: 60_000, h: 3_600_000 };

function readFitsAfter(reader: Reader, node: YamlNode): FitsAfter | null {
  const example = 'fitsAfter: 3m, or fitsAfter: { log: "step 20" }';
  const target = reader.target(node);
  if (target !== null && 'items' in target) {
    const entries = reader.entries(node, '“fitsAfter”', ['log'], example);
    const log = entries?.find(({ key }) => key === 'log');
    if (log === undefined)
      return entries === null ? null : reader.problem(node, `“fitsAfter” is empty. Write: ${example}`);
    const text = reader.text(log.value ?? log.keyNode, '“log”', 'fitsAfter: { log: "step 20" }');
    return text === null ? null : { kind: 'log', text };
  }
  const written = reader.written(node, '“fitsAfter”', example);
  if (written === null) return null;
  const parts = [...written.matchAll(/(\d+(?:\.\d+)?)\s*(h|min|m|s)\s*/g)];
  const ms = parts.reduce((sum, [, count, unit]) => sum + Number(count) * (unitsMs[unit ?? ''] ?? 0), 0);
  const whole = parts.map(([part]) => part).join('') === written;
  if (whole && parts.length > 0 && ms > 0 && Number.isSafeInteger(ms)) return { kind: 'time', ms };
  const bare = /^\d+$/.test(written) ? `${written}m` : '3m';
  return reader.problem(
    node,
    `“fitsAfter” must be a time with its unit (s, m, h), or a text of the log. Write: fitsAfter: ${bare}`,
  );
}
