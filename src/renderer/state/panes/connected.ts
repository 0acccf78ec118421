import { createContext } from 'react'

/** Whether this window is connected to the engine, for panes. */
export const ConnectedContext = createContext(true)
