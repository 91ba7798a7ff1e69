import { env, l10n, version, window } from 'vscode';
import type { Clock } from '../../core/base/clock';
import type { State } from '../../core/model/state';
import { diagnosticsText } from '../../core/present/diagnostics';
import type { CommandHandler } from '../commandRegistry';

export function copyDiagnostics(extensionVersion: string, clock: Clock, state: () => State): CommandHandler {
  return async () => {
    const about = {
      extension: extensionVersion,
      editor: version,
      platform: `${process.platform} ${process.arch}`,
      remote: env.remoteName ?? null,
    };
    await env.clipboard.writeText(diagnosticsText(about, state(), clock.nowMs()));
    void window.showInformationMessage(
      l10n.t('Diagnostics are on the clipboard. Names of hosts and users have been replaced.'),
    );
  };
}
