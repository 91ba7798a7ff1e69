import { quoteShellPath, quoteShellText } from '../../base/shellText';
import type { AttemptId } from '../attempt';
import type { Job } from '../job';

/** The texts of the files `run` and `env` in the job directory. */
export interface RunTexts {
  readonly run: string;
  /** Holds the values of the environment: secrets. */
  readonly env: string;
}

export interface RunOrder {
  readonly attempt: AttemptId;
  /** Its command has the parameters' values in it already. */
  readonly job: Job;
  /** The value of the parameter that this attempt is about; null when the job has none. */
  readonly value: number | null;
  /** The environment of the user's login shell. */
  readonly login: ReadonlyMap<string, string>;
  /** UUIDs of the GPUs that the job is pinned to; null when it sees all. */
  readonly gpus: readonly string[] | null;
}

export function runTexts(order: RunOrder): RunTexts {
  return { run: runText(order), env: envText(order) };
}

/**
 * `{attempt}` and `{value}` in what the user wrote, filled in. `${value}` is a variable of the shell and stays, and so does
 * `{value}` where there is none.
 */
export function fillPlaceholders(text: string, { attempt, value }: Pick<RunOrder, 'attempt' | 'value'>): string {
  return text.replace(/(?<!\$)\{(attempt|value)\}/g, (whole, name: string) =>
    name === 'attempt' ? attempt : value === null ? whole : String(value),
  );
}

// ---- run ----

/**
 * Why the command was not started goes into the file `refused`, which attemptStatus.ts reads. The names are taken away
 * before the user's own lines run, the setup's excepted.
 */
const refusing = `headroom_at=\${0%/*}
headroom_refuse() {
  (umask 077 && printf '%s\\n' format=1 "reason=$1" "detail=$2" >"$headroom_at/refused.new") &&
    mv "$headroom_at/refused.new" "$headroom_at/refused"
  exit 1
}`;

function runText(order: RunOrder): string {
  const { job } = order;
  const setup = job.setup.flatMap((line, index) => [
    fillPlaceholders(line, order),
    `headroom_code=$?; [ "$headroom_code" = 0 ] || headroom_refuse setup "${index + 1} $headroom_code"`,
  ]);
  return lines([
    '# The command of one attempt, written by Headroom. It is run by bash, or by sh where there is no bash.',
    refusing,
    '. "$headroom_at/env"',
    `cd -- ${quoteShellPath(fillPlaceholders(job.cwd, order))} || headroom_refuse cwd`,
    ...setup,
    'unset -f headroom_refuse; unset headroom_at headroom_code',
    fillPlaceholders(job.run, order),
  ]);
}

// ---- env ----

/** What a shell says of itself: bash lets nobody else set most of it. */
const ownOfShells = new Set(
  'BASHOPTS BASH_ARGC BASH_ARGV BASH_LINENO BASH_SOURCE BASH_VERSINFO EUID FUNCNAME GROUPS OLDPWD PPID PWD SHELLOPTS SHLVL UID _'.split(
    ' ',
  ),
);

/** In this order, so that what stands nearer to the job wins: login, file, job, GPUs, and what tells the job who it is. */
function envText(order: RunOrder): string {
  const { attempt, job, value, login, gpus } = order;
  const ownEnv = [...job.env].map(([name, text]) => exported(name, fillPlaceholders(text, order)));
  return lines([
    '# The environment of one attempt, written by Headroom. Its values are nobody else’s business.',
    // Else the log of a Python stays empty for minutes.
    exported('PYTHONUNBUFFERED', '1'),
    ...[...login].map(([name, text]) => (ownOfShells.has(name) ? null : exportedAny(name, text))),
    job.envFile === null ? null : envFileText(job.envFile),
    ...ownEnv,
    gpus === null ? null : exported('CUDA_VISIBLE_DEVICES', gpus.join(',')),
    exported('HEADROOM_ATTEMPT', attempt),
    exported('HEADROOM_JOB', job.name),
    value === null ? 'unset HEADROOM_VALUE' : exported('HEADROOM_VALUE', String(value)),
  ]);
}

function exported(name: string, value: string): string | null {
  return /^[A-Za-z_][A-Za-z0-9_]*$/.test(name) ? `export ${name}=${quoteShellText(value)}` : null;
}

/** Also a function that bash has exported, as Environment Modules does with `module`: `BASH_FUNC_module%%=() {  …}`. */
function exportedAny(name: string, value: string): string | null {
  const [, func] = /^BASH_FUNC_([A-Za-z_][A-Za-z0-9_-]*)%%$/.exec(name) ?? [];
  if (func === undefined || !value.startsWith('() {')) return exported(name, value);
  const definition = quoteShellText(`${func} ${value}\nexport -f ${func}`);
  return `[ -z "\${BASH_VERSION:-}" ] || eval ${definition}`;
}

/** Reads a file of variables as `readEnvFile` (envFile.ts) does. `read` takes off the blanks around each line. */
function envFileText(file: string): string {
  return `headroom_file=${quoteShellPath(file)}
[ -f "$headroom_file" ] && [ -r "$headroom_file" ] || headroom_refuse envFile
headroom_cr=$(printf '\\r')
while IFS=' \t' read -r headroom_line || [ -n "$headroom_line" ]; do
  headroom_line=\${headroom_line%"$headroom_cr"}
  headroom_line=\${headroom_line%"\${headroom_line##*[![:blank:]]}"}
  case $headroom_line in
  export[[:blank:]]*)
    headroom_line=\${headroom_line#export}
    headroom_line=\${headroom_line#"\${headroom_line%%[![:blank:]]*}"}
    ;;
  esac
  headroom_name=\${headroom_line%%=*}
  case $headroom_line in *=*) ;; *) continue ;; esac
  case $headroom_name in '' | [0-9]* | *[!A-Za-z0-9_]*) continue ;; esac
  headroom_value=\${headroom_line#*=}
  headroom_value=\${headroom_value#"\${headroom_value%%[![:blank:]]*}"}
  case $headroom_value in
  \\"*\\") headroom_value=\${headroom_value#?} headroom_value=\${headroom_value%?} ;;
  \\'*\\') headroom_value=\${headroom_value#?} headroom_value=\${headroom_value%?} ;;
  esac
  export "$headroom_name=$headroom_value"
done <"$headroom_file"
unset headroom_file headroom_cr headroom_line headroom_name headroom_value`;
}

const lines = (texts: readonly (string | null)[]): string => `${texts.filter(text => text !== null).join('\n')}\n`;
