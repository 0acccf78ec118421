import { create } from 'zustand'

/** A dialog about a session, or about all sessions of a folder. */
export type SessionDialog =
  | { kind: 'rename'; sessionId: string }
  | { kind: 'remove'; sessionId: string }
  | { kind: 'verify'; sessionId: string }
  /** Moves it to another machine. */
  | { kind: 'move'; sessionId: string }
  /** Shows it event by event, starting with `from`. */
  | { kind: 'replay'; sessionId: string; from?: number }
  /** Chooses where the folder is now: for one session, or for all sessions of `folder`. */
  | { kind: 'relink'; folder: string; sessionId?: string }

export const useSessionDialog = create<{ dialog: SessionDialog | undefined }>()(() => ({ dialog: undefined }))

export function askAboutSession(dialog: SessionDialog | undefined): void {
  useSessionDialog.setState({ dialog })
}
