import { type HostId, type HostSpec, parseHostSpec } from '../host/hostSpec';
import { remoteSshHost } from '../host/remoteAuthority';
import { plain } from './plain';

/** Where a command is to run. */
export interface Place {
  readonly host: HostSpec;
  /** Begins with `/` or `~`. */
  readonly cwd: string;
}

/** A folder of the workspace, as its URI names it. */
export interface WorkspaceFolderUri {
  readonly scheme: string;
  readonly authority: string;
  readonly path: string;
}

/** The first folder of a Remote-SSH window: what is launched from there runs there. null for any other window. */
export function windowPlace(folders: readonly WorkspaceFolderUri[]): Place | null {
  for (const { scheme, authority, path } of folders) {
    const named = scheme === 'vscode-remote' ? remoteSshHost(authority) : null;
    const parsed = named === null ? null : parseHostSpec(named);
    if (parsed?.kind === 'host') return { host: parsed.spec, cwd: path };
  }
  return null;
}

/** A row of "Where is it to run?". */
export interface PlaceChoice {
  readonly place: Place;
  readonly label: string;
  readonly note: 'thisWindow' | 'usedBefore' | 'typed' | 'home';
  readonly connected: boolean;
}

export interface PlaceSources {
  /** In the order of the Hosts view. */
  readonly hosts: readonly { readonly spec: HostSpec; readonly connected: boolean }[];
  /** The folder of a Remote-SSH window. */
  readonly window: Place | null;
  /** Where jobs have run before, the newest first. */
  readonly used: readonly { readonly host: HostId; readonly cwd: string }[];
  readonly typed: string;
}

/** More folders of one host are only in the way: any other can be typed. */
const mostUsed = 5;

/**
 * Host and directory in one choice: a directory that is typed, on each host; the window's own; those of earlier jobs; the
 * home directory of each host. Connected hosts first, each place once.
 */
export function placeChoices({ hosts, window, used, typed }: PlaceSources): readonly PlaceChoice[] {
  const ordered = [...hosts].sort((one, other) => Number(other.connected) - Number(one.connected));
  const offered = new Set<string>();
  const choice = (place: Place, note: PlaceChoice['note'], connected: boolean): readonly PlaceChoice[] => {
    const key = `${place.host.id}\n${place.cwd}`;
    if (offered.has(key)) return [];
    offered.add(key);
    return [{ place, note, connected, label: `${plain(place.cwd, 200)} on ${plain(place.host.id)}` }];
  };
  const isConnected = (id: HostId): boolean => hosts.some(({ spec, connected }) => spec.id === id && connected);
  const directory = typedDirectory(typed);
  return [
    ...(directory === null
      ? []
      : ordered.flatMap(({ spec, connected }) => choice({ host: spec, cwd: directory }, 'typed', connected))),
    ...(window === null ? [] : choice(window, 'thisWindow', isConnected(window.host.id))),
    ...ordered.flatMap(({ spec, connected }) =>
      [...new Set(used.filter(({ host }) => host === spec.id).map(({ cwd }) => cwd))]
        .slice(0, mostUsed)
        .flatMap(cwd => choice({ host: spec, cwd }, 'usedBefore', connected)),
    ),
    ...ordered.flatMap(({ spec, connected }) => choice({ host: spec, cwd: '~' }, 'home', connected)),
  ];
}

/** null for what is only a filter of the rows. */
function typedDirectory(typed: string): string | null {
  const text = typed.trim();
  return /^(?:\/|~(?:\/|$))/.test(text) && !/\p{Cc}/u.test(text) ? text : null;
}
