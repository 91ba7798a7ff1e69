import type { ExtensionContext } from 'vscode';
import { start } from './editor/compose';

/** Everything that lives as long as the extension is in `context.subscriptions`, so there is nothing to do on deactivation. */
export function activate(context: ExtensionContext): void {
  start(context);
}
