/**
 * What the user pasted, from what a one-line input box kept of it: two commands that stood below each other would run into
 * one there. The clipboard still has its line breaks, if it is the same text.
 */
export function pastedText(kept: string, clipboard: string): string {
  if (!/[\r\n]/.test(clipboard.trim())) return kept;
  return stands.some(instead => clipboard.replace(/\r\n|[\r\n]/g, instead).trim() === kept.trim()) ? clipboard : kept;
}

/** What stands for a line break in such a box: Chromium pastes a blank, and what a script sets loses it. */
const stands = [' ', ''];
