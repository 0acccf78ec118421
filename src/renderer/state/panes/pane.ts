import { createContext } from 'react'

/** Whether this window is connected to the engine, for panes. */
export const ConnectedContext = createContext(true)

/** What a review shows: all changes of the session, those of one turn, or the diff against a git branch. */
export type ReviewScope = { kind: 'session' } | { kind: 'turn'; turnId: string } | { kind: 'branch'; base: string }

/** The content of a tab beside a session's conversation. Everything in it can be stored as JSON. */
export type Pane =
  /** The file tree of the project. */
  | { kind: 'files' }
  /** One file, at a line. */
  | { kind: 'file'; path: string; line?: number; column?: number }
  | { kind: 'review'; scope: ReviewScope }
  /** Branch, staging, commits and history of the project. */
  | { kind: 'git' }
  /** A terminal of the user. */
  | { kind: 'terminal'; terminalId: string }
  /** Background tasks; `taskId`: the terminal of one. */
  | { kind: 'tasks'; taskId?: string }
  /** A page served on this machine. */
  | { kind: 'preview'; url: string }
  /** Another session. */
  | { kind: 'session'; sessionId: string }

export type PaneKind = Pane['kind']

/** Panes with the same key are the same tab: opening one again shows the existing tab. */
export function paneKey(pane: Pane): string {
  switch (pane.kind) {
    case 'file':
      return `file ${pane.path}`
    case 'terminal':
      return `terminal ${pane.terminalId}`
    case 'tasks':
      return pane.taskId === undefined ? 'tasks' : `tasks ${pane.taskId}`
    case 'preview':
      return `preview ${new URL(pane.url).origin}`
    case 'session':
      return `session ${pane.sessionId}`
    default:
      return pane.kind
  }
}
