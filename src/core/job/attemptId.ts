import type { AttemptId } from './attempt';

/** How many random bytes `newAttemptId` wants: two clients that launch in the same second must not meet. */
export const attemptIdBytes = 6;

/**
 * The id of a new attempt: the moment (UTC, by the client's clock), so that names sort as attempts were made, and chance.
 * Only lower-case letters, digits and dashes: it is the name of a folder, a word in scripts, and part of systemd units.
 */
export function newAttemptId(nowMs: number, random: Uint8Array): AttemptId {
  const moment = new Date(nowMs).toISOString().slice(0, 19).replace(/[-:]/g, '').toLowerCase();
  const chance = [...random].map(byte => byte.toString(16).padStart(2, '0')).join('');
  return `${moment}-${chance}`;
}

/** What the scripts on the host take for an attempt's folder. */
export function isAttemptId(text: string): boolean {
  return /^[0-9a-z][0-9a-z-]{0,63}$/.test(text);
}
