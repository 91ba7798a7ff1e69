import { l10n, window } from 'vscode';
import type { JobNotices } from '../../control/jobs';
import type { HostId } from '../../core/host/hostSpec';
import type { AttemptId } from '../../core/job/attempt';
import type { AttemptEnding } from '../../core/job/ending';
import { endingKind, endingsText, endingText, stallText, type NewsKind } from '../../core/present/endings';
import { settingIds, type TellSettingId } from '../ids';
import { isTold, mute } from '../settings';

export type ShowLog = (log: { readonly host: HostId; readonly attempt: AttemptId; readonly job: string }) => void;

const settingOf: Readonly<Record<NewsKind, TellSettingId>> = {
  succeeded: settingIds.tellSucceeded,
  failed: settingIds.tellFailed,
  stopped: settingIds.tellStopped,
  lost: settingIds.tellLost,
  stalled: settingIds.tellStalled,
};

/** Tells how jobs ended, and that one has gone quiet; each kind until the user has heard enough of it. */
export function createJobToasts(showLog: ShowLog, onError: (error: unknown) => void): JobNotices {
  const tell = async (kind: NewsKind, text: string, log: Parameters<ShowLog>[0] | null): Promise<void> => {
    const show = l10n.t('Show Log');
    const enough = l10n.t('Do Not Tell This Again');
    const say = kind === 'failed' || kind === 'lost' ? window.showWarningMessage : window.showInformationMessage;
    const chosen = await say(text, ...(log === null ? [] : [show]), enough);
    if (chosen === show && log !== null) showLog(log);
    if (chosen === enough) await mute(settingOf[kind]);
  };

  return {
    ended(endings) {
      const byKind = new Map<NewsKind, AttemptEnding[]>();
      for (const ending of endings) {
        const kind = endingKind(ending);
        byKind.set(kind, [...(byKind.get(kind) ?? []), ending]);
      }
      for (const [kind, ended] of byKind) {
        const [first, ...more] = ended;
        if (first === undefined || !isTold(settingOf[kind])) continue;
        // Several came while there was no link: one toast for them, and the tree has the rest.
        if (more.length > 0) void tell(kind, endingsText(ended), null).catch(onError);
        else {
          const { id, spec } = first.attempt;
          void tell(kind, endingText(first), { host: first.host, attempt: id, job: spec.job }).catch(onError);
        }
      }
      return Promise.resolve(true);
    },
    stalled(stall) {
      if (!isTold(settingIds.tellStalled)) return;
      const { host, attempt } = stall;
      const log = { host, attempt: attempt.id, job: attempt.spec.job };
      void tell('stalled', stallText(stall), log).catch(onError);
    },
  };
}
