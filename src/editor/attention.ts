import { window } from 'vscode';
import type { Clock } from '../core/base/clock';
import { type Disposable, DisposableStore } from '../core/base/disposable';
import type { HostId } from '../core/host/hostSpec';
import type { Attention } from '../core/host/watchPace';
import type { State } from '../core/model/state';
import { attention } from '../core/present/attention';

/** A glance at another window is no absence. */
const inUseAfterFocusMs = 5 * 60_000;

export interface AttentionKeeper extends Disposable {
  readonly isWindowInUse: boolean;
  /** Tells the hosts how closely they are watched now; each only when that changed. */
  update(state: State): void;
}

export interface AttentionOptions {
  readonly clock: Clock;
  readonly isTreeVisible: () => boolean;
  readonly setAttention: (host: HostId, attention: Attention) => void;
  /** The window came into use or went out of it. */
  readonly onChange: () => void;
}

/** Keeps what hosts are asked for to what somebody can see. */
export function createAttentionKeeper(options: AttentionOptions): AttentionKeeper {
  const owned = new DisposableStore();
  let told: ReadonlyMap<HostId, Attention> = new Map();
  let isWindowInUse = true;
  let leaving: Disposable | null = null;

  const focusChanged = (focused: boolean): void => {
    leaving?.dispose();
    leaving = focused ? null : options.clock.after(inUseAfterFocusMs, () => setInUse(false));
    if (focused) setInUse(true);
  };
  const setInUse = (inUse: boolean): void => {
    if (isWindowInUse === inUse) return;
    isWindowInUse = inUse;
    options.onChange();
  };

  owned.add(window.onDidChangeWindowState(state => focusChanged(state.focused)));
  owned.add({ dispose: () => leaving?.dispose() });
  focusChanged(window.state.focused);

  return {
    get isWindowInUse() {
      return isWindowInUse;
    },
    update(state) {
      const wanted = attention(state, { treeVisible: options.isTreeVisible(), windowInUse: isWindowInUse });
      for (const [host, level] of wanted) if (told.get(host) !== level) options.setAttention(host, level);
      told = wanted;
    },
    dispose: () => owned.dispose(),
  };
}
