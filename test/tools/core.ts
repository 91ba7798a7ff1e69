/** `npm run -s core -- COMMAND …`: the core of the extension without an editor, for developers and checks. */
import { main } from './core/main';

// A reader that stops early (`| head`) is no error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

// Not process.exit: what is still on its way to a pipe must arrive.
void main(process.argv.slice(2), {
  out: line => process.stdout.write(`${line}\n`),
  error: line => process.stderr.write(`${line}\n`),
}).then(code => {
  process.exitCode = code;
});
