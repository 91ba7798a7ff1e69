import { l10n, QuickPickItemKind, window, type QuickPickItem } from 'vscode';
import { DisposableStore } from '../core/base/disposable';
import type { HostSpec } from '../core/host/hostSpec';
import type { State } from '../core/model/state';
import { type HostChoice, hostChoices } from '../core/present/hostChoices';

export interface HostToConnectOptions {
  readonly state: State;
  readonly windowHost: HostSpec | null;
  /** Of the SSH configuration; rejects when it cannot be read. */
  readonly listAliases: () => Promise<readonly string[]>;
  readonly onError: (error: unknown) => void;
}

interface HostItem extends QuickPickItem {
  readonly spec: HostSpec | null;
}

/** "Connect to Host": an alias, or whatever the user types. undefined when they chose nothing. */
export function pickHostToConnect(options: HostToConnectOptions): Promise<HostSpec | undefined> {
  const owned = new DisposableStore();
  const pick = owned.add(window.createQuickPick<HostItem>());
  let aliases: readonly string[] = [];
  let unreadable = false;
  const render = (): void => {
    const { state, windowHost } = options;
    const choices = hostChoices({ state, windowHost, aliases, typed: pick.value }).map(item);
    pick.items = unreadable ? [...choices, unreadableItem()] : choices;
  };

  pick.title = l10n.t('Connect to Host');
  pick.placeholder = l10n.t('Choose a host of your SSH configuration, or type user@host:port');
  pick.busy = true;
  render();
  owned.add(pick.onDidChangeValue(render));
  options
    .listAliases()
    .then(
      found => (aliases = found),
      (error: unknown) => {
        unreadable = true;
        options.onError(error);
      },
    )
    .finally(() => {
      if (owned.isDisposed) return;
      pick.busy = false;
      render();
    });

  return new Promise(resolve => {
    owned.add(
      pick.onDidAccept(() => {
        const spec = pick.selectedItems[0]?.spec;
        // The row that explains a bad name is not a choice.
        if (spec === null || spec === undefined) return;
        resolve(spec);
        pick.hide();
      }),
    );
    owned.add(
      pick.onDidHide(() => {
        owned.dispose();
        resolve(undefined);
      }),
    );
    pick.show();
  });
}

function item(choice: HostChoice): HostItem {
  switch (choice.kind) {
    case 'heading':
      return { kind: QuickPickItemKind.Separator, label: headings()[choice.heading], spec: null };
    case 'host':
      return { label: choice.label, description: choice.note === null ? '' : notes()[choice.note], spec: choice.spec };
    case 'typed':
      return { label: l10n.t('Connect to {0}', choice.label), alwaysShow: true, spec: choice.spec };
    case 'badName':
      return { label: choice.message, detail: choice.advice, alwaysShow: true, spec: null };
  }
}

function unreadableItem(): HostItem {
  return {
    label: l10n.t('The hosts of the SSH configuration could not be listed.'),
    detail: l10n.t('Type the host. Why not is in the output of Headroom.'),
    alwaysShow: true,
    spec: null,
  };
}

const headings = () => ({
  thisWindow: l10n.t('host of this window'),
  hosts: l10n.t('in the Hosts view'),
  aliases: l10n.t('SSH configuration'),
});

const notes = () => ({
  thisWindow: l10n.t('this window runs there'),
  connected: l10n.t('connected'),
  known: l10n.t('not connected'),
});
