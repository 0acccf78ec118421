/** A text that is about to be written. */
export interface PlannedWrite {
  /** Absolute, with symlinks resolved. */
  path: string
  text: string
  /** Whether the file is there already. */
  exists: boolean
}

/** What may look at writes before they happen, change them, or keep them from happening. */
export interface WriteHooks {
  /** What is to be written: the same text where nothing changes it. For the same write the same answer, until it is done. Throws `FileProblem` when it is not to be written. */
  before(write: PlannedWrite): Promise<string>
  /** It is written. Cheap. */
  written(write: PlannedWrite): void
}
