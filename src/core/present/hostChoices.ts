import { type HostId, type HostSpec, hostSpec, parseHostSpec } from '../host/hostSpec';
import type { State } from '../model/state';
import { plain } from './plain';

/** A row of "Connect to Host". */
export type HostChoice =
  | { readonly kind: 'heading'; readonly heading: Heading }
  | {
      readonly kind: 'host';
      readonly spec: HostSpec;
      readonly label: string;
      readonly note: 'thisWindow' | 'connected' | 'known' | null;
    }
  | { readonly kind: 'typed'; readonly spec: HostSpec; readonly label: string }
  | { readonly kind: 'badName'; readonly message: string; readonly advice: string };

export type Heading = 'thisWindow' | 'hosts' | 'aliases';

export interface HostSources {
  readonly state: State;
  /** The host of a Remote-SSH window. */
  readonly windowHost: HostSpec | null;
  /** Of the SSH configuration, in its order. */
  readonly aliases: readonly string[];
  readonly typed: string;
}

/**
 * What to offer: the typed host as long as it is no other row's name, then the window's own host, the hosts in the tree, and
 * the aliases of the SSH configuration; each host once.
 */
export function hostChoices(sources: HostSources): readonly HostChoice[] {
  const { state, windowHost, aliases } = sources;
  const offered = new Set<HostId>();
  const row = (spec: HostSpec, note: 'thisWindow' | null): readonly HostChoice[] => {
    if (offered.has(spec.id)) return [];
    offered.add(spec.id);
    const connection = state.hosts.get(spec.id)?.connection;
    const known = connection === undefined ? null : connection.kind === 'ready' ? 'connected' : 'known';
    return [{ kind: 'host', spec, label: plain(spec.id), note: known ?? note }];
  };
  const section = (heading: Heading, rows: readonly HostChoice[]): readonly HostChoice[] =>
    rows.length === 0 ? [] : [{ kind: 'heading', heading }, ...rows];

  const sections = [
    ...section('thisWindow', windowHost === null ? [] : row(windowHost, 'thisWindow')),
    ...section(
      'hosts',
      [...state.hosts.values()].flatMap(host => row(host.spec, null)),
    ),
    ...section(
      'aliases',
      aliases.flatMap(alias => row(hostSpec(alias), null)),
    ),
  ];
  return [...typedChoice(sources.typed, offered), ...sections];
}

function typedChoice(typed: string, offered: ReadonlySet<HostId>): readonly HostChoice[] {
  if (typed.trim() === '') return [];
  const parsed = parseHostSpec(typed);
  if (parsed.kind === 'bad')
    return [{ kind: 'badName', message: plain(parsed.failure.message), advice: plain(parsed.failure.advice) }];
  if (offered.has(parsed.spec.id)) return [];
  return [{ kind: 'typed', spec: parsed.spec, label: plain(parsed.spec.id) }];
}
