import { commands } from 'vscode';
import type { CommandHandler } from '../commandRegistry';
import { viewIds } from '../ids';

export function showJobs(): CommandHandler {
  return async () => {
    await commands.executeCommand(`${viewIds.jobs}.focus`);
  };
}
