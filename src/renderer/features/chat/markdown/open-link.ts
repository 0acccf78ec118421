import { createContext } from 'react'

/** How a link is opened outside the app. */
export const OpenLink = createContext<(url: string) => void>(() => undefined)
