/** The backups of the session store, as Settings shows them. */
export interface BackupsView {
  /** Where they are. */
  folder: string
  count: number
  /** What they take on the disk together. */
  bytes: number
  /** When the newest was made, in ms since the epoch; absent: no backup was made yet. */
  newestAt?: number
}
