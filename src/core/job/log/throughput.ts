import type { LogLine } from './logTail';

/** How fast a job works, as its own log says. */
export interface Throughput {
  readonly value: number;
  /** `s/it`: seconds for one step. Steps, batches and iterations are one thing here, as are samples, images and sequences. */
  readonly unit: 'it/s' | 's/it' | 'tokens/s' | 'samples/s';
  /** When the line that says it came. */
  readonly atMs: number;
}

/** The newest figure that the lines, oldest first, hold; null when they hold none. */
export function newestThroughput(lines: readonly LogLine[]): Throughput | null {
  for (const { text, atMs } of lines.toReversed()) {
    const found = throughputOf(text);
    if (found !== null) return { ...found, atMs };
  }
  return null;
}

/**
 * The figure of one line, null if it has none. What counts is work on the model: tokens before samples before steps where a
 * line has several. Not counted: transfers in bytes, FLOP rates, rates of one GPU of many (they read as the job's), the speed
 * of evaluation, and bars of what comes before the work (downloads, loading, tokenizing, capturing graphs).
 */
export function throughputOf(line: string): Omit<Throughput, 'atMs'> | null {
  const text = line.slice(0, longestRead).replace(escapeSequences, '');
  if (preparation.test(text)) return null;
  for (const { pattern, unit, scale } of forms) {
    const [, digits, thousands = ''] = pattern.exec(text) ?? [];
    if (digits === undefined) continue;
    const value = Number(digits.replaceAll(',', '')) * scale * (multiples[thousands.toLowerCase()] ?? 1);
    // A zero is a counter that has not counted yet, or a server without work.
    if (Number.isFinite(value) && value > 0) return { value, unit };
  }
  return null;
}

/** Lines with figures are short; the rest of a long one is not read. */
const longestRead = 2_000;

const escapeSequences = /\x1b\[[0-?]*[ -/]*[@-~]/g;

const preparation =
  /^\W*(?:\[[^\]]*\]\s*|\([^)]*\)\s*)*(?:down|up)?(?:load|fetch|captur|tokeniz|map\b|filter|extract|sav(?:e|ing)|generating \w+ split|resolving|casting|collecting|validat|evaluat|sanity check|warm)[^:]*:\s*\d+%|^\W*(?:generating|running tokenizer|num proc)[^:]*:\s*\d+(?:%| examples)/i;

interface Form {
  /** The number, and behind it a `k` or `M` where it may have one. */
  readonly pattern: RegExp;
  readonly unit: Throughput['unit'];
  readonly scale: number;
}

const multiples: Readonly<Record<string, number>> = { k: 1e3, m: 1e6 };

const number = String.raw`(?<![\w.,/])(\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)`;
/** No rate of one device follows, nor a longer word. */
const end = String.raw`(?![\w/]|[ _]?per[ _](?:gpu|device)\b)`;
const per = String.raw`(?:\s?/\s?|[ _]per[ _])`;
const second = String.raw`(?:seconds|second|secs|sec|s)`;
const is = String.raw`["']?\s*[:=]\s*`;
const of = {
  tokens: String.raw`(?:tokens|token|toks|tok|words)`,
  samples: String.raw`(?:samples|sample|examples|example|images|image|imgs|img|sequences|sequence|seqs|seq)`,
  steps: String.raw`(?:iterations|iteration|iters|iter|it|steps|step|batches|batch|ba)`,
};

/** "123 tokens/s", "1.2k tok/s". */
const rate = (thing: string): RegExp => new RegExp(`${number}\\s?([kM]?)\\s?${thing}${per}${second}${end}`, 'i');
/** "tokens/s: 123", "'train_samples_per_second': 65.2", "gen throughput (token/s): 50.12". Not those of an evaluation. */
const named = (thing: string): RegExp =>
  new RegExp(
    `(?<![\\w/])(?!eval|test|predict)(?:[a-z]+[ _/])?${thing}${per}${second}\\)?${is}["']?${number}([kM]?)(?![\\w.])`,
    'i',
  );
/** "1.20s/it", "12ms/step". */
const cost = (unit: string, thing: string): RegExp => new RegExp(`${number}\\s?${unit}\\s?/\\s?${thing}${end}`, 'i');

const form = (pattern: RegExp, unit: Throughput['unit'], scale = 1): Form => ({ pattern, unit, scale });

/** In the order of preference. */
const forms: readonly Form[] = [
  // vLLM tells prompts and answers apart; the answers are what is waited for.
  form(new RegExp(`generation throughput:\\s*${number}()\\s*tokens/s`, 'i'), 'tokens/s'),
  // llama.cpp: the same, in two lines of which only the second counts.
  form(new RegExp(`^(?!.*prompt eval).*?${number}()\\s*tokens per second${end}`, 'i'), 'tokens/s'),
  form(rate(of.tokens), 'tokens/s'),
  form(named(of.tokens), 'tokens/s'),
  // torchtitan and LLaMA-style trainers; fairseq counts words.
  form(new RegExp(`(?:^|[\\s|,])(?:tps|wps)\\s*[:=]?\\s*${number}([kM]?)(?![\\w.])`, 'i'), 'tokens/s'),
  form(rate(of.samples), 'samples/s'),
  form(named(of.samples), 'samples/s'),
  // DeepSpeed's timer.
  form(new RegExp(`CurrSamplesPerSec=${number}()`), 'samples/s'),
  // timm: "Time: 0.345s, 742.03/s".
  form(new RegExp(`time:\\s*[\\d.]+s,\\s*${number}()/s`, 'i'), 'samples/s'),
  form(rate(of.steps), 'it/s'),
  form(named(`(?:global_)?${of.steps}`), 'it/s'),
  form(cost('s', of.steps), 's/it'),
  form(cost('ms', of.steps), 's/it', 1e-3),
  form(cost('[uµ]s', of.steps), 's/it', 1e-6),
  // Megatron: "elapsed time per iteration (ms): 5234.1".
  form(new RegExp(`time per (?:iteration|step)\\s*\\(ms\\):\\s*${number}()`, 'i'), 's/it', 1e-3),
  form(new RegExp(`time per (?:iteration|step)\\s*\\(s\\):\\s*${number}()`, 'i'), 's/it'),
  // "step time: 350 ms", "step_time=1.2s", "sec/step: 1.2".
  form(new RegExp(`(?:step|iter|iteration|batch)[ _]?time["']?\\s*[:=]?\\s*${number}()\\s*ms\\b`, 'i'), 's/it', 1e-3),
  form(new RegExp(`(?:step|iter|iteration|batch)[ _]?time["']?\\s*[:=]?\\s*${number}()\\s*s(?:ec)?\\b`, 'i'), 's/it'),
  form(new RegExp(`\\bsec(?:onds)?(?:/|[ _]per[ _])(?:step|iter|it|batch)${is}${number}()`, 'i'), 's/it'),
  // nanoGPT: "iter 100: loss 2.3145, time 123.45ms, mfu 30.12%".
  form(new RegExp(`\\b(?:iter|step)\\b.*\\bloss\\b.*\\btime:?\\s*${number}()\\s*ms\\b`, 'i'), 's/it', 1e-3),
  // MMEngine and detectron2: "time: 0.3456  data_time: 0.0123".
  form(new RegExp(`\\btime:\\s*${number}()\\s.*\\bdata_time:`, 'i'), 's/it'),
];
