import { commands } from 'vscode';
import type { CommandHandler } from '../commandRegistry';
import { viewIds } from '../ids';

export function showHosts(): CommandHandler {
  return async () => {
    await commands.executeCommand(`${viewIds.hosts}.focus`);
  };
}
