/** One edit of one file, as a tool call made it. */
export interface Change {
  path: string
  added: number
  removed: number
  callId: string
}

export interface ChangedFile {
  path: string
  added: number
  removed: number
  edits: number
  callId: string
}

/** Edits summed up per file; the file with the latest edit first. `callId` is that of its latest edit. */
export function filesOf(changes: readonly Change[]): ChangedFile[] {
  const files = new Map<string, ChangedFile>()
  for (const { path, added, removed, callId } of changes) {
    const file = files.get(path)
    files.delete(path)
    files.set(path, {
      path,
      callId,
      added: (file?.added ?? 0) + added,
      removed: (file?.removed ?? 0) + removed,
      edits: (file?.edits ?? 0) + 1,
    })
  }
  return [...files.values()].toReversed()
}
