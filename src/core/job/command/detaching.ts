import { commandsOf, programOf, type Program } from './programOf';
import type { ShellCommand, ShellParser } from './shellSyntax';

/** A command that would come back while its work goes on elsewhere: nothing of it could be followed, measured or stopped. */
export interface Detaching {
  readonly kind: 'background' | 'container' | 'multiplexer' | 'scheduler' | 'multiNode' | 'otherHost';
  /** The words that say so: `nohup … &`, `docker run`. */
  readonly what: string;
  /** What to do instead, one sentence. */
  readonly advice: string;
}

const advice: Readonly<Record<Detaching['kind'], string>> = {
  background: 'Leave out “&”, “nohup” and “disown”: a job of Headroom runs on by itself when you close the editor.',
  container:
    'Containers are not supported yet: sign in to a host inside of the container, or run the command without it.',
  multiplexer:
    'Run the command itself, without tmux or screen: a job of Headroom runs on by itself when you close the editor.',
  scheduler:
    'Schedulers are not supported yet: run the command itself on a machine with GPUs that you may use directly.',
  multiNode: 'Jobs over several machines are not supported yet: run it on one machine, or launch it by hand.',
  otherHost: 'Launch the command on that host itself: what runs there cannot be watched or stopped from here.',
};

/** The first thing in a command that Headroom could not keep hold of, null when there is none. */
export function findDetaching(text: string, parser: ShellParser): Detaching | null {
  const commands = commandsOf(text, parser);
  for (const command of commands) {
    const program = programOf(command);
    const found = byProgram(program) ?? byNodes(program);
    if (found !== null) return { ...found, advice: advice[found.kind] };
  }
  const left = leftBehind(commands);
  return left === null ? null : { kind: 'background', what: left, advice: advice.background };
}

type Found = Pick<Detaching, 'kind' | 'what'>;

/** Verbs by which a program hands its work to somebody else. Without verbs: whatever it is told. */
const handingOver: Readonly<Record<string, { readonly kind: Detaching['kind']; readonly verbs?: readonly string[] }>> =
  {
    docker: { kind: 'container', verbs: ['run', 'start', 'exec', 'compose', 'container'] },
    podman: { kind: 'container', verbs: ['run', 'start', 'exec', 'compose', 'container'] },
    nerdctl: { kind: 'container', verbs: ['run', 'start', 'exec', 'compose'] },
    'docker-compose': { kind: 'container', verbs: ['up', 'run', 'start'] },
    kubectl: { kind: 'container', verbs: ['run', 'apply', 'create', 'exec'] },
    tmux: { kind: 'multiplexer' },
    screen: { kind: 'multiplexer' },
    zellij: { kind: 'multiplexer' },
    sbatch: { kind: 'scheduler' },
    qsub: { kind: 'scheduler' },
    bsub: { kind: 'scheduler' },
    condor_submit: { kind: 'scheduler' },
    ray: { kind: 'scheduler', verbs: ['job', 'submit'] },
    sky: { kind: 'scheduler', verbs: ['launch', 'jobs', 'exec'] },
    'systemd-run': { kind: 'scheduler' },
    ssh: { kind: 'otherHost' },
  };

function byProgram({ name, words }: Program): Found | null {
  const entry = Object.hasOwn(handingOver, name) ? handingOver[name] : undefined;
  if (entry === undefined) return null;
  const [, ...rest] = words.map(word => word.text);
  const verb = rest.find(word => !word.startsWith('-'));
  if (entry.verbs === undefined) return { kind: entry.kind, what: name };
  return verb !== undefined && entry.verbs.includes(verb) ? { kind: entry.kind, what: `${name} ${verb}` } : null;
}

/** Programs that start others on several machines, and the flags by which they are told how many. */
const launchers: Readonly<Record<string, RegExp>> = {
  torchrun: /^--nnodes$/,
  python: /^(?:--nnodes|--num[-_]nodes)$/,
  accelerate: /^--num[-_]machines$/,
  deepspeed: /^--num[-_]nodes$/,
  lightning: /^--num[-_]nodes$/,
  srun: /^(?:-N|--nodes)$/,
  mpirun: /^--?nnodes$/,
  mpiexec: /^--?nnodes$/,
  horovodrun: /^--nnodes$/,
};

/** Flags that name the machines, or a file with them. */
const hostLists = /^(?:-H|--?hosts?|--?hostfile|--?machinefile)$/;
const takesHosts = /^(?:mpirun|mpiexec|horovodrun|deepspeed)$/;

function byNodes({ words }: Program): Found | null {
  const texts = words.map(word => word.text);
  let launcher: string | null = null;
  for (const [index, text] of texts.entries()) {
    // One launcher may run another: `srun … torchrun --nnodes 2`. A flag belongs to the last one before it.
    const name = baseName(text);
    if (Object.hasOwn(launchers, name)) launcher = name;
    if (launcher === null) continue;
    const [flag, value] = flagAndValue(text, texts[index + 1]);
    const several =
      (launchers[launcher]?.test(flag) === true && isSeveral(value)) ||
      (takesHosts.test(launcher) && hostLists.test(flag) && isSeveralHosts(flag, value));
    if (several) return { kind: 'multiNode', what: `${launcher} ${flag} ${value}` };
  }
  return null;
}

function flagAndValue(text: string, next: string | undefined): readonly [string, string] {
  const [, short, glued] = /^(-N)(\d.*)$/.exec(text) ?? [];
  if (short !== undefined && glued !== undefined) return [short, glued];
  const equals = text.indexOf('=');
  return equals < 0 ? [text, next ?? ''] : [text.slice(0, equals), text.slice(equals + 1)];
}

/** `2`, `1:4` (elastic: one to four). */
const isSeveral = (value: string): boolean => /^\d+([:-]\d+)?$/.test(value) && !/^1([:-]1)?$/.test(value);

/** A file may name one machine only, but then nobody needs it. */
const isSeveralHosts = (flag: string, value: string): boolean =>
  value !== '' && (flag.includes('file') || value.split(',').filter(host => host !== '').length > 1);

const baseName = (text: string): string => text.slice(text.lastIndexOf('/') + 1).replace(/^python[\d.]*$/, 'python');

/** What nobody waits for when the text has come to its end. A helper in the background beside the real work is fine. */
function leftBehind(commands: readonly ShellCommand[]): string | null {
  const own = commands.filter(({ nesting, words }) => !nesting.includes('substitution') && words.length > 0);
  const last = own.at(-1);
  if (last === undefined) return null;
  const names = own.map(command => command.words[0]?.text ?? '');
  if (names.includes('disown')) return 'disown';
  if (names.includes('wait')) return null;
  if (!last.background) return null;
  return last.words[0]?.text === 'nohup' ? 'nohup … &' : '… &';
}
