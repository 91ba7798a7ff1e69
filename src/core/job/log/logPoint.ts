/** How far a log has been read: what a later connection must ask for to go on without loss and without a byte twice. */
export interface LogPoint {
  /** Bytes before it; `tail` until the first byte came: only the last of the log is wanted. */
  readonly offset: number | 'tail';
  /** Of the file that was read, in decimal as the host tells it (it may pass 2^53); null when nothing was read yet. */
  readonly inode: string | null;
}

export const fromStart: LogPoint = { offset: 0, inode: null };
export const fromTail: LogPoint = { offset: 'tail', inode: null };
