import { l10n, window } from 'vscode';
import type { GpuOffer } from '../../core/job/gpuOffer';
import { gpuChoices, gpuQuestionText } from '../../core/present/launchQuestions';
import { quickPickRow } from './quickPickRow';

/** UUIDs to pin to, null for none of them: the job sees all. undefined: the user does not want to launch. */
export type GpusToUse = readonly string[] | null | undefined;

/** Asks only where the offer has a question: too few are free, or a job of the user's own is there already. */
export async function gpusToUse(offer: GpuOffer): Promise<GpusToUse> {
  const text = gpuQuestionText(offer);
  if (text === null) return offer.proposed;
  if (offer.question?.kind === 'tooFewFree') return chooseGpus(offer, text);
  const anyway = { label: l10n.t('Launch all the same'), description: l10n.t('they share the memory of the cards') };
  const choose = { label: l10n.t('Choose GPUs…') };
  const chosen = await window.showQuickPick([anyway, choose], { placeHolder: text, ignoreFocusOut: true });
  if (chosen === undefined) return undefined;
  return chosen === anyway ? offer.proposed : chooseGpus(offer, l10n.t('Choose the GPUs that the job may use'));
}

async function chooseGpus(offer: GpuOffer, placeHolder: string): Promise<GpusToUse> {
  const items = gpuChoices(offer).map(choice => ({
    ...quickPickRow(choice),
    picked: choice.picked,
    uuid: choice.gpu.uuid,
  }));
  const chosen = await window.showQuickPick(items, { placeHolder, canPickMany: true, ignoreFocusOut: true });
  return chosen === undefined || chosen.length === 0 ? undefined : chosen.map(({ uuid }) => uuid);
}
