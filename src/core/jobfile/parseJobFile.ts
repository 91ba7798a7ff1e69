import { LineCounter, parseDocument, type Document, type YAMLError } from 'yaml';
import type { Job } from '../job/job';
import { readJob } from './jobFields';
import type { JobFileDefaults, JobFileResult } from './jobFileProblem';
import { createReader, type Reader, type YamlNode } from './reader';

/** A longer file was not written by hand. */
const longestFile = 1_000_000;

/** Reads a job file (`headroom.yaml`). Never throws. */
export function parseJobFile(text: string, defaults: JobFileDefaults): JobFileResult {
  if (text.length > longestFile) return tooLong;
  const lines = new LineCounter();
  const document = parseYaml(text, lines);
  const reader = createReader(document, lines);
  for (const error of document.errors) {
    const [start, end] = error.pos;
    reader.problemAt(start, end, wordsFor(error, text));
  }
  const jobs = document.errors.length > 0 ? [] : readFile(reader, document.contents, defaults);
  const { problems } = reader;
  if (problems.length === 0) return { kind: 'jobs', jobs };
  return { kind: 'problems', problems: [...problems].sort((one, other) => one.start - other.start) };
}

/** YAML 1.2: `yes` is a text and 012 is twelve. Anchors and aliases are allowed, for sharing variables among jobs. */
export function parseYaml(text: string, lineCounter?: LineCounter): Document.Parsed {
  return parseDocument(text, {
    version: '1.2',
    prettyErrors: false,
    logLevel: 'error',
    ...(lineCounter === undefined ? {} : { lineCounter }),
  });
}

const tooLong: JobFileResult = {
  kind: 'problems',
  problems: [{ message: `A job file has at most ${longestFile} characters.`, line: 1, column: 1, start: 0, end: 0 }],
};

function readFile(reader: Reader, contents: YamlNode, defaults: JobFileDefaults): readonly Job[] {
  const file = reader.entries(contents, 'The file', ['version', 'jobs'], 'version: 1');
  if (file === null) return [];
  const version = file.find(({ key }) => key === 'version');
  if (version === undefined) reader.problem(null, 'The version is missing. Write as the first line: version: 1');
  else if (valueOf(reader, version.value) !== 1) {
    reader.problem(
      version.value ?? version.keyNode,
      'This version of Headroom reads version 1 of the file. Write: version: 1',
    );
  }
  const jobs = file.find(({ key }) => key === 'jobs');
  if (jobs === undefined) {
    reader.problem(null, 'The file has no jobs. Write “jobs:” and below it, indented, the name of a job.');
    return [];
  }
  const named = reader.entries(jobs.value ?? jobs.keyNode, '“jobs”', null, 'jobs: { train: { run: python train.py } }');
  return (named ?? []).flatMap(entry => readJob(reader, entry, defaults) ?? []);
}

function valueOf(reader: Reader, node: YamlNode): unknown {
  const target = reader.target(node);
  return target !== null && 'value' in target ? target.value : undefined;
}

/** YAML's own errors in words that say what to do; the others keep the words of the parser. */
function wordsFor(error: YAMLError, text: string): string {
  switch (error.code) {
    case 'DUPLICATE_KEY':
      return `“${keyAt(text, error.pos[0])}” stands here twice. Give one of them another name, or take one out.`;
    case 'TAB_AS_INDENT':
      return 'A tab cannot indent a line in YAML. Write blanks instead.';
    case 'BAD_INDENT':
      if (error.message.startsWith('Flow')) return 'A list or map that was opened here with “[” or “{” is not closed.';
      return 'This line is not indented as the lines around it. Use the same number of blanks for keys that belong together.';
    case 'MISSING_CHAR':
      return `${error.message}. Close what was opened, or put the whole text into quotes.`;
    case 'BAD_ALIAS':
      return 'Nothing with this name has been marked before. Mark it with “&name”, or put the text into quotes.';
    case 'MULTIPLE_DOCS':
      return 'The file must hold one document. Take out the line “---”.';
    case 'BLOCK_AS_IMPLICIT_KEY':
      return 'A text with “: ” in it must stand in quotes. Write: run: "echo a: b"';
    default:
      return `This is not YAML: ${error.message.replace(/\.$/, '')}.`;
  }
}

const keyAt = (text: string, start: number): string => /^[^:\n]*/.exec(text.slice(start))?.[0].trim() ?? '';
