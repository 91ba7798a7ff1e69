import { existsSync, readFileSync, rmSync, statSync, chownSync, writeFileSync } from 'node:fs';

/** Files of test users that a test writes over; they share their homes with other tests. */
export interface KeptFiles {
  /** Call it before the file is written. */
  keep(file: string): void;
  /** Puts every file back as it was, and takes away what was not there. */
  restore(): void;
}

export function keptFiles(): KeptFiles {
  const kept = new Map<string, { readonly text: Buffer; readonly uid: number; readonly gid: number } | null>();
  return {
    keep(file) {
      if (kept.has(file)) return;
      const { uid, gid } = existsSync(file) ? statSync(file) : { uid: 0, gid: 0 };
      kept.set(file, existsSync(file) ? { text: readFileSync(file), uid, gid } : null);
    },
    restore() {
      for (const [file, old] of kept) {
        if (old === null) rmSync(file, { force: true });
        else {
          writeFileSync(file, old.text);
          chownSync(file, old.uid, old.gid);
        }
      }
      kept.clear();
    },
  };
}
