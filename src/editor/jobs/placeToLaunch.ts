import { l10n, window, type QuickPickItem } from 'vscode';
import { DisposableStore } from '../../core/base/disposable';
import { placeChoices, type Place, type PlaceSources } from '../../core/present/launchPlaces';

interface PlaceItem extends QuickPickItem {
  readonly place: Place;
}

/** Host and directory of a command in one question; any other directory may be typed. undefined when none was chosen. */
export function askForPlace(title: string, sources: Omit<PlaceSources, 'typed'>): Promise<Place | undefined> {
  const owned = new DisposableStore();
  const box = owned.add(window.createQuickPick<PlaceItem>());
  const words = notes();
  const render = (): void => {
    box.items = placeChoices({ ...sources, typed: box.value }).map(({ place, label, note, connected }) => ({
      label,
      description: connected ? words[note] : l10n.t('{0}; not connected', words[note]),
      alwaysShow: note === 'typed',
      place,
    }));
  };
  box.title = title;
  box.placeholder = l10n.t('Choose where it is to run, or type a directory: ~/train');
  render();
  owned.add(box.onDidChangeValue(render));
  return new Promise(resolve => {
    owned.add(
      box.onDidAccept(() => {
        const [chosen] = box.selectedItems;
        if (chosen === undefined) return;
        resolve(chosen.place);
        box.hide();
      }),
    );
    owned.add(
      box.onDidHide(() => {
        owned.dispose();
        resolve(undefined);
      }),
    );
    box.show();
  });
}

const notes = () => ({
  thisWindow: l10n.t('the folder of this window'),
  usedBefore: l10n.t('used before'),
  typed: l10n.t('as typed'),
  home: l10n.t('home directory'),
});
