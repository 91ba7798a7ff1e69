import type { HostId } from '../host/hostSpec';
import type { Attention } from '../host/watchPace';
import type { State } from '../model/state';
import { hostInStatusBar } from './statusBar';

/** What of the window can be seen. */
export interface Visibility {
  readonly treeVisible: boolean;
  /** The window has the focus, or had it not long ago. */
  readonly windowInUse: boolean;
}

/** How closely each host is to be watched: a host that is not shown costs its machine next to nothing. */
export function attention(state: State, visibility: Visibility): ReadonlyMap<HostId, Attention> {
  const inStatusBar = hostInStatusBar(state)?.spec.id;
  const of = (id: HostId): Attention => {
    if (!visibility.windowInUse) return 'none';
    if (visibility.treeVisible) return 'full';
    return id === inStatusBar ? 'brief' : 'none';
  };
  return new Map([...state.hosts.keys()].map(id => [id, of(id)]));
}
