import { l10n, window, workspace } from 'vscode';
import type { Fleet } from '../../control/fleet';
import { type HostId, type HostSpec, parseHostSpec } from '../../core/host/hostSpec';
import { readPasted } from '../../core/job/command/commandText';
import type { Job } from '../../core/job/job';
import type { ShellParser } from '../../core/job/command/shellSyntax';
import { commandJob } from '../../core/job/command/commandJob';
import { type Place, windowPlace } from '../../core/present/launchPlaces';
import { newestAttempts } from '../../core/present/recentCommands';
import type { Launching } from './launching';
import { askForPlace } from './placeToLaunch';

export interface TextToLaunch {
  /** As it was typed, pasted or selected. */
  readonly text: string;
  /** Where it ran before; null: the user is asked. */
  readonly place: { readonly host: HostId; readonly cwd: string } | null;
  readonly title: string;
}

/** Makes a job of a text and launches it: where, then what else has to be asked. */
export type LaunchText = (text: TextToLaunch) => Promise<void>;

export interface TextLaunchingOptions {
  readonly fleet: Fleet;
  readonly launching: Launching;
  readonly parser: () => Promise<ShellParser>;
  /** Lets the user connect to a host; undefined when they did not. */
  readonly connectFirst: () => Promise<HostSpec | undefined>;
}

export function createTextLaunching(options: TextLaunchingOptions): LaunchText {
  const { fleet, launching, parser, connectFirst } = options;

  const hostsKnown = (): readonly { readonly spec: HostSpec; readonly connected: boolean }[] =>
    [...fleet.store.state.hosts.values()].map(({ spec, connection }) => ({
      spec,
      connected: connection.kind === 'ready',
    }));

  const placeOf = async ({ place, title }: TextToLaunch): Promise<Place | undefined> => {
    const before = place === null ? null : parseHostSpec(place.host);
    if (place !== null && before?.kind === 'host') return { host: before.spec, cwd: place.cwd };
    const window = windowPlace((workspace.workspaceFolders ?? []).map(({ uri }) => uri));
    // The folder of a window on a host is where its user works: nothing to ask.
    if (window !== null) return window;
    if (hostsKnown().length === 0 && (await connectFirst()) === undefined) return undefined;
    const used = newestAttempts(fleet.store.state).map(({ host, spec }) => ({ host, cwd: spec.cwd }));
    return askForPlace(title, { hosts: hostsKnown(), window, used });
  };

  return async text => {
    const pasted = readPasted(text.text);
    if (pasted.text === '') return;
    const place = await placeOf(text);
    if (place === undefined) return;
    const run = await withPlainCharacters(pasted);
    if (run === undefined) return;
    await launching.launch(await jobOf(run, place), place.host, null);
  };

  async function jobOf(run: string, { host, cwd }: Place): Promise<Job> {
    const shell = await parser();
    const earlier = newestAttempts(fleet.store.state).filter(attempt => attempt.host === host.id);
    return commandJob(
      { run, host: host.id, cwd },
      earlier.map(({ spec }) => spec),
      shell,
    );
  }
}

/** Typographic quotes and dashes are what a text processor made of plain ones, mostly: the user knows. */
async function withPlainCharacters({ text, suggestion }: ReturnType<typeof readPasted>): Promise<string | undefined> {
  if (suggestion === null) return text;
  const items = [
    { label: l10n.t('With plain quotes and dashes'), detail: suggestion, run: suggestion },
    { label: l10n.t('As it is'), detail: text, run: text },
  ];
  const placeHolder = l10n.t('The command has typographic quotes or dashes, which no shell knows');
  return (await window.showQuickPick(items, { placeHolder }))?.run;
}
