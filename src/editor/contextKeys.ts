import { commands } from 'vscode';
import type { ContextKey } from './ids';

/** Sets the conditions of menus, and each only when it changed. */
export function createContextKeys(): (key: ContextKey, value: boolean) => void {
  const written = new Map<ContextKey, boolean>();
  return (key, value) => {
    if (written.get(key) === value) return;
    written.set(key, value);
    void commands.executeCommand('setContext', key, value);
  };
}
