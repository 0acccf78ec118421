/** Whether a pane may close now; false: it stays, and the guard asks the user. */
type MayClose = () => boolean

const guards = new Map<string, MayClose>()

/** Asks before a pane is closed, for one with something unsaved. Returns how to stop. */
export function guardClose(sessionId: string, paneKey: string, mayClose: MayClose): () => void {
  const id = `${sessionId}\n${paneKey}`
  guards.set(id, mayClose)
  return () => {
    if (guards.get(id) === mayClose) guards.delete(id)
  }
}

/** Whether a pane may be closed now. */
export function mayClosePane(sessionId: string, paneKey: string): boolean {
  return guards.get(`${sessionId}\n${paneKey}`)?.() ?? true
}
