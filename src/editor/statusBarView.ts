import { l10n, StatusBarAlignment, window } from 'vscode';
import type { Disposable } from '../core/base/disposable';
import { tooltipMarkdown } from '../core/present/markdown';
import type { StatusBar } from '../core/present/statusBar';
import { commandIds, statusBarItemId } from './ids';
import { tooltipContent } from './tooltips';

export interface StatusBarView extends Disposable {
  /** null hides the item. */
  show(view: StatusBar | null, nowMs: number): void;
}

/** A hover that is rewritten vanishes under the mouse, so its numbers are renewed no more often than this. */
const tooltipEveryMs = 10_000;

/** The status bar item. Writes only what changed. */
export function createStatusBarView(): StatusBarView {
  const item = window.createStatusBarItem(statusBarItemId, StatusBarAlignment.Left, 0);
  item.name = l10n.t('Headroom');
  item.command = commandIds.showHosts;
  let shown: { text: string; label: string; tooltip: string; tooltipAtMs: number } | null = null;

  const show = (view: StatusBar | null, nowMs: number): void => {
    if (view === null) {
      if (shown !== null) item.hide();
      shown = null;
      return;
    }
    const text = view.isBusy ? `$(sync~spin) ${view.text}` : view.text;
    const label = view.accessibilityLabel;
    const tooltip = tooltipMarkdown(view.tooltip, null);
    const renewed =
      shown === null ||
      shown.label !== label ||
      (shown.tooltip !== tooltip && nowMs - shown.tooltipAtMs >= tooltipEveryMs);
    if (shown?.text !== text) item.text = text;
    if (shown?.label !== label) item.accessibilityInformation = { label, role: 'button' };
    if (renewed) item.tooltip = tooltipContent(view.tooltip);
    if (shown === null) item.show();
    shown =
      renewed || shown === null
        ? { text, label, tooltip, tooltipAtMs: nowMs }
        : { text, label, tooltip: shown.tooltip, tooltipAtMs: shown.tooltipAtMs };
  };

  return { show, dispose: () => item.dispose() };
}
