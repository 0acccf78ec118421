/** Whether a pane may close now; false: it stays, and the guard asks the user. */
type MayClose = () => boolean

const guards = new Map<string, MayClose>()

/** Registers a guard that asks before a pane with unsaved content is closed. Returns the unregister function. */
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
