import { createContext, type ReactNode } from 'react'

/** How the conversation's cards show a task's live terminal, and whose tasks they are. */
export interface TerminalsOfSession {
  sessionId: string
  /** `actions` stand at the end of the line below the terminal. */
  render: (taskId: string, actions?: ReactNode) => ReactNode
}

export const Terminals = createContext<TerminalsOfSession>({ sessionId: '', render: () => null })
