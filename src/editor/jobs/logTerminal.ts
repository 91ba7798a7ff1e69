import { EventEmitter, l10n, ThemeIcon, window, type Pseudoterminal, type Terminal } from 'vscode';
import type { Jobs } from '../../control/jobs';
import type { LogSubscription } from '../../control/logFollower';
import { type Disposable, DisposableStore } from '../../core/base/disposable';
import type { HostId } from '../../core/host/hostSpec';
import type { AttemptId } from '../../core/job/attempt';
import type { LogEvent } from '../../core/job/log/logFollow';
import { fromTail } from '../../core/job/log/logPoint';
import { plain } from '../../core/present/plain';
import { createTerminalFilter } from '../../core/present/terminalFilter';

export interface LogTerminals extends Disposable {
  /** Opens the log of an attempt, or brings it to the front where it is open. */
  show(log: { readonly host: HostId; readonly attempt: AttemptId; readonly job: string }): void;
}

/** Logs in terminals, one for each attempt, over the connection that there is. Nothing that is typed goes anywhere. */
export function createLogTerminals(jobs: Pick<Jobs, 'followLog'>): LogTerminals {
  const owned = new DisposableStore();
  const open = new Map<string, Terminal>();
  owned.add(
    window.onDidCloseTerminal(closed => {
      for (const [key, terminal] of open) if (terminal === closed) open.delete(key);
    }),
  );
  owned.add({ dispose: () => [...open.values()].forEach(terminal => terminal.dispose()) });
  return {
    show({ host, attempt, job }) {
      const key = `${host}\n${attempt}`;
      const terminal =
        open.get(key) ??
        window.createTerminal({
          name: l10n.t('{0} on {1}', plain(job, 60), plain(host, 60)),
          iconPath: new ThemeIcon('output'),
          // A window that is loaded again has no log to give to it.
          isTransient: true,
          pty: logTerminal(listener => jobs.followLog(host, attempt, fromTail, listener)),
        });
      open.set(key, terminal);
      terminal.show(false);
    },
    dispose: () => owned.dispose(),
  };
}

function logTerminal(follow: (listener: (event: LogEvent) => void) => LogSubscription): Pseudoterminal {
  const written = new EventEmitter<string>();
  let filter = createTerminalFilter();
  let following: LogSubscription | null = null;
  let toldEnd = false;
  const say = (words: string): void => written.fire(`\u001b[2m${plain(words, 200)}\u001b[0m\r\n`);
  const begin = (words: string): void => {
    // What was broken off does not go on in what follows.
    filter = createTerminalFilter();
    say(words);
  };

  const show = (event: LogEvent): void => {
    switch (event.kind) {
      case 'bytes':
        return written.fire(filter.push(event.bytes));
      case 'skipped':
        return begin(l10n.t('({0} bytes of the log are not shown here)', (event.to - event.from).toLocaleString('en')));
      case 'truncated':
        return begin(l10n.t('(the log was shortened; it goes on from its start)'));
      case 'replaced':
        return begin(l10n.t('(another log is in its place now)'));
      case 'missing':
        return say(l10n.t('(there is no log yet)'));
      case 'ended':
        // Said by each stream that follows it.
        if (!toldEnd) say(l10n.t('(the job has ended)'));
        toldEnd = true;
        return;
    }
  };

  return {
    onDidWrite: written.event,
    open: () => {
      following = follow(show);
    },
    close: () => {
      following?.dispose();
      written.dispose();
    },
  };
}
