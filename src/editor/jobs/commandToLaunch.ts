import { env, l10n, QuickPickItemKind, ThemeIcon, UIKind, window, type QuickPickItem } from 'vscode';
import { DisposableStore } from '../../core/base/disposable';
import type { HostId } from '../../core/host/hostSpec';
import { pastedText } from '../../core/job/command/pastedText';
import { plain } from '../../core/present/plain';
import type { RecentCommand } from '../../core/present/recentCommands';

export interface CommandToLaunch {
  /** As typed or pasted, or as it ran before. */
  readonly text: string;
  /** Where it ran before; null for one that was typed. */
  readonly place: { readonly host: HostId; readonly cwd: string } | null;
}

interface CommandItem extends QuickPickItem {
  readonly command: CommandToLaunch | null;
}

/** "Launch Command": what the user types or pastes, or a command from before, which can be changed first. */
export async function askForCommand(recent: readonly RecentCommand[]): Promise<CommandToLaunch | undefined> {
  const chosen = await pick(recent);
  // A browser asks the user before it lets anybody read the clipboard.
  if (chosen === undefined || chosen.place !== null || env.uiKind === UIKind.Web) return chosen;
  return { ...chosen, text: pastedText(chosen.text, await env.clipboard.readText()) };
}

function pick(recent: readonly RecentCommand[]): Promise<CommandToLaunch | undefined> {
  const owned = new DisposableStore();
  const box = owned.add(window.createQuickPick<CommandItem>());
  const change = { iconPath: new ThemeIcon('edit'), tooltip: l10n.t('Change It First') };
  const before = recent.map(({ run, host, cwd, label, description }) => ({
    label,
    description,
    buttons: [change],
    command: { text: run, place: { host, cwd } },
  }));
  const render = (): void => {
    const typed = box.value.trim();
    const rows: CommandItem[] = [];
    if (typed !== '')
      rows.push({
        label: l10n.t('Launch {0}', plain(typed, 200)),
        alwaysShow: true,
        command: { text: box.value, place: null },
      });
    if (before.length > 0)
      rows.push({ label: l10n.t('launched before'), kind: QuickPickItemKind.Separator, command: null });
    box.items = [...rows, ...before];
  };

  box.title = l10n.t('Launch Command');
  box.placeholder =
    env.uiKind === UIKind.Web
      ? l10n.t(
          'Paste or type the command that is to run on a host. For several lines, select them and use Launch Selection',
        )
      : l10n.t('Paste or type the command that is to run on a host; it may have several lines');
  // People go and copy it from somewhere.
  box.ignoreFocusOut = true;
  render();
  owned.add(box.onDidChangeValue(render));
  owned.add(
    box.onDidTriggerItemButton(({ item }) => {
      box.value = item.command?.text.replace(/\s*\n\s*/g, ' ') ?? '';
      render();
    }),
  );
  return new Promise(resolve => {
    owned.add(
      box.onDidAccept(() => {
        const command = box.selectedItems[0]?.command ?? null;
        if (command === null) return;
        resolve(command);
        box.hide();
      }),
    );
    owned.add(
      box.onDidHide(() => {
        owned.dispose();
        resolve(undefined);
      }),
    );
    box.show();
  });
}
