import type { HostId } from '../../host/hostSpec';
import type { AttemptSpec } from '../attempt';
import { findNumbers } from './commandNumbers';
import type { Job } from '../job';
import { numberNamed } from './numberBefore';
import type { ShellParser } from './shellSyntax';

/** The job that an attempt was of, as far as its record tells: the variables beside a command are in no record. */
export function savedJob(spec: AttemptSpec, host: HostId, parser: ShellParser): Job {
  const numbers = findNumbers(spec.run, new Map(), parser);
  return {
    name: spec.job,
    host,
    cwd: spec.cwd,
    run: spec.run,
    setup: [],
    env: new Map(),
    envFile: null,
    gpus: spec.gpus === null ? { kind: 'unpinned' } : { kind: 'anyFree', count: spec.gpus.length },
    parameters: Object.keys(spec.values).flatMap(name => {
      const number = numberNamed(numbers, name);
      if (number === null) return [];
      return [{ name: name.replace(/^-+/, ''), place: number.place, step: null, min: null, max: null }];
    }),
    outputs: [],
    fitsAfter: null,
  };
}
