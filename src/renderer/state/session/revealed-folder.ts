import { create } from 'zustand'
import { openPane } from '../panes/panes-state'

/** The folder that the file tree of a session is to show. */
export const useRevealedFolder = create<{ asked: { sessionId: string; path: string } | undefined }>()(() => ({
  asked: undefined,
}))

/** Shows a folder in the file tree; `path` as links name it. */
export function revealFolder(sessionId: string, path: string): void {
  openPane(sessionId, { kind: 'files' })
  useRevealedFolder.setState({ asked: { sessionId, path } })
}
