import type { LogOutputChannel } from 'vscode';
import type { CommandHandler } from '../commandRegistry';

export function showOutput(channel: LogOutputChannel): CommandHandler {
  return () => channel.show();
}
