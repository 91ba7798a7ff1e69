import { type Command, type Output, UsageError } from './command';
import { gpu } from './gpu';

/** One command a file; adding one is a line here. */
const commands: Readonly<Record<string, Command>> = { gpu };

/** @returns the exit code: 0 all done, 1 something could not be read (each told in a line), 2 usage error */
export async function main(argv: readonly string[], output: Output): Promise<number> {
  const [name = '', ...args] = argv;
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined;
  try {
    if (command === undefined) throw new UsageError(`unknown command "${name}"; there is: ${usages()}`);
    return await command.run(args, output);
  } catch (error) {
    if (!(error instanceof UsageError)) throw error;
    output.error(oneLine(`core: ${error.message}`));
    return 2;
  }
}

const usages = (): string =>
  Object.entries(commands)
    .map(([name, command]) => `${name} ${command.usage}`)
    .join(', ');

const oneLine = (text: string): string => text.replace(/\s+/g, ' ').trim();
