import { l10n, ProgressLocation, window } from 'vscode';
import type { Fleet } from '../control/fleet';
import type { Prompts } from '../control/ports';
import type { ConnectionState } from '../core/host/connection';
import type { HostSpec } from '../core/host/hostSpec';
import { stepWords } from '../core/present/connectionTexts';
import { plain } from '../core/present/plain';
import type { FailureToasts } from './failureToasts';
import type { RememberedHosts } from './rememberedHosts';

export interface Connecting {
  /** The user wants this host and waits for it: progress with a way out, then its numbers, or what went wrong. */
  connect(spec: HostSpec): Promise<void>;
}

export interface ConnectingOptions {
  readonly fleet: Fleet;
  readonly prompts: Prompts;
  readonly remembered: RememberedHosts;
  readonly toasts: FailureToasts;
  /** For errors of what goes on after the user was answered. */
  readonly onError: (error: unknown) => void;
}

export function createConnecting(options: ConnectingOptions): Connecting {
  const { fleet, prompts, remembered, toasts, onError } = options;

  const connect = async (spec: HostSpec): Promise<void> => {
    const end = await withProgress(fleet, spec, prompts);
    if (end.kind === 'ready') await remembered.add(spec.id);
    if (end.kind === 'waiting' || end.kind === 'needsUser')
      // Not waited for: the command is over, and the toast stands as long as the user lets it.
      void toasts.show(spec.id, end.failure, () => void connect(spec).catch(onError)).catch(onError);
  };
  return { connect };
}

async function withProgress(fleet: Fleet, spec: HostSpec, prompts: Prompts): Promise<ConnectionState> {
  const title = l10n.t('Connecting to {0}', plain(spec.id));
  return window.withProgress(
    { location: ProgressLocation.Notification, title, cancellable: true },
    async (progress, token) => {
      const abort = new AbortController();
      const cancelling = token.onCancellationRequested(() => abort.abort());
      let told: string | null = null;
      const steps = fleet.store.onChange(state => {
        const connection = state.hosts.get(spec.id)?.connection;
        const words = connection?.kind === 'connecting' ? stepWords[connection.step] : null;
        if (words !== null && words !== told) progress.report({ message: words });
        told = words;
      });
      try {
        return await fleet.connect(spec, prompts, abort.signal);
      } finally {
        steps.dispose();
        cancelling.dispose();
      }
    },
  );
}
