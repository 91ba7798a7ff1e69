import { l10n, window } from 'vscode';
import type { GpuChoice, GpuOffer } from '../../core/job/gpuOffer';
import { formatGiBOf, joinParts } from '../../core/present/format';
import { plain } from '../../core/present/plain';

/** UUIDs to pin to, null for none of them: the job sees all. undefined: the user does not want to launch. */
export type GpusToUse = readonly string[] | null | undefined;

/** Asks only where the offer has a question: too few are free, or a job of the user's own is there already. */
export async function gpusToUse(offer: GpuOffer, job: string): Promise<GpusToUse> {
  const { question, proposed } = offer;
  if (question === null) return proposed;
  if (question.kind === 'tooFewFree') {
    const placeHolder = l10n.t(
      '{0} wants {1} free GPUs and {2} are. Choose the GPUs to use',
      plain(job),
      question.wanted,
      question.free,
    );
    return chooseGpus(offer, placeHolder);
  }
  const others = [...new Set(question.gpus.flatMap(({ attempts }) => attempts.map(attempt => attempt.job)))];
  const shared = question.gpus.map(({ index }) => index).join(', ');
  const anyway = { label: l10n.t('Launch all the same'), description: l10n.t('they share the memory of the cards') };
  const choose = { label: l10n.t('Choose GPUs…') };
  const placeHolder = l10n.t('{0} runs on GPU {1} already', others.map(name => plain(name)).join(', '), shared);
  const chosen = await window.showQuickPick([anyway, choose], { placeHolder });
  if (chosen === undefined) return undefined;
  return chosen === anyway ? proposed : chooseGpus(offer, l10n.t('Choose the GPUs that {0} may use', plain(job)));
}

async function chooseGpus({ choices }: GpuOffer, placeHolder: string): Promise<GpusToUse> {
  const items = choices.map(choice => ({
    label: l10n.t('GPU {0}', choice.index),
    description: describe(choice),
    uuid: choice.uuid,
  }));
  const chosen = await window.showQuickPick(items, { placeHolder, canPickMany: true });
  return chosen === undefined || chosen.length === 0 ? undefined : chosen.map(({ uuid }) => uuid);
}

function describe({ freeBytes, totalBytes, isFree, owners, attempts }: GpuChoice): string {
  return joinParts([
    isFree ? l10n.t('free') : null,
    freeBytes === null ? null : l10n.t('{0} free', formatGiBOf(freeBytes, totalBytes)),
    owners.length === 0 ? null : l10n.t('in use by {0}', owners.map(owner => plain(owner)).join(', ')),
    attempts.length === 0 ? null : l10n.t('your {0}', attempts.map(({ job }) => plain(job)).join(', ')),
  ]);
}
