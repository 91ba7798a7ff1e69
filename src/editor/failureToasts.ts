import { commands, l10n, window } from 'vscode';
import type { Failure } from '../core/errors';
import { plain } from '../core/present/plain';
import { commandIds } from './ids';

export interface FailureToasts {
  /** Says that connecting failed, with what to do. Resolves when the toast is gone; the user may have asked to try again. */
  show(host: string, failure: Failure, tryAgain: () => void): Promise<void>;
}

/** One toast for one cause: while it stands, the same failure of the same host is not shown a second time. */
export function createFailureToasts(): FailureToasts {
  const standing = new Set<string>();
  return {
    async show(host, failure, tryAgain) {
      const cause = [host, failure.kind, failure.message].join('\n');
      if (failure.kind === 'cancelled' || standing.has(cause)) return;
      standing.add(cause);
      try {
        const again = failure.kind === 'signInNeeded' ? l10n.t('Sign In') : l10n.t('Retry');
        const details = l10n.t('Show Output');
        const chosen = await window.showErrorMessage(
          // Two plain texts side by side: made plain together, so that no form can arise between them.
          plain(`${failure.message} ${failure.advice}`, 600),
          again,
          details,
        );
        if (chosen === again) tryAgain();
        if (chosen === details) await commands.executeCommand(commandIds.showOutput);
      } finally {
        standing.delete(cause);
      }
    },
  };
}
