/**
 * What the user pasted, from what a one-line input box kept of it: such a box drops line breaks, and two commands that stood
 * below each other would run into one. The clipboard still has them, if it is the same text.
 */
export function pastedText(kept: string, clipboard: string): string {
  const flat = (text: string): string => text.replace(/[\r\n]+/g, '').trim();
  return /[\r\n]/.test(clipboard.trim()) && flat(clipboard) === flat(kept) ? clipboard : kept;
}
