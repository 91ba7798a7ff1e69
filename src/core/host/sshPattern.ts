/*
 * PATTERNS of ssh_config(5), which names in known_hosts follow too.
 */

/** ssh's rule for lists of patterns: a negated one that matches settles it, else one that matches is enough. */
export function matchesPatternList(patterns: readonly string[], text: string): boolean {
  const negated = patterns.filter(pattern => pattern.startsWith('!')).map(pattern => pattern.slice(1));
  if (negated.some(pattern => matchesPattern(pattern, text))) return false;
  return patterns.some(pattern => !pattern.startsWith('!') && matchesPattern(pattern, text));
}

/** `*` is any text and `?` one character; everything else, brackets too, is itself. Linear in the text for each star. */
export function matchesPattern(pattern: string, text: string): boolean {
  let p = 0;
  let t = 0;
  let star = -1;
  let resumeAt = 0;
  while (t < text.length) {
    if (pattern[p] === '*') {
      star = p++;
      resumeAt = t;
    } else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++resumeAt;
    } else {
      return false;
    }
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
