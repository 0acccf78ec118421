import { create } from 'zustand'
import { mayClosePane } from './close-guards'
import { paneKey, type Pane } from './pane'

/** The panes beside the conversation of one session. */
export interface SessionPanes {
  tabs: readonly Pane[]
  /** Key of the tab on screen. */
  active: string | undefined
}

const NO_PANES: SessionPanes = { tabs: [], active: undefined }

interface PanesState {
  bySession: Readonly<Record<string, SessionPanes>>
  /** Opens a pane beside the session's conversation, or shows the tab with the same key with what is new in it. */
  openPane(sessionId: string, pane: Pane): void
  closePane(sessionId: string, key: string): void
  showPane(sessionId: string, key: string): void
}

export const usePanes = create<PanesState>()((set) => {
  const change = (sessionId: string, next: (panes: SessionPanes) => SessionPanes): void =>
    set(({ bySession }) => ({ bySession: { ...bySession, [sessionId]: next(bySession[sessionId] ?? NO_PANES) } }))
  return {
    bySession: {},
    openPane: (sessionId, pane) =>
      change(sessionId, ({ tabs }) => {
        const key = paneKey(pane)
        const isOpen = tabs.some((tab) => paneKey(tab) === key)
        return { tabs: isOpen ? tabs.map((tab) => (paneKey(tab) === key ? pane : tab)) : [...tabs, pane], active: key }
      }),
    closePane: (sessionId, key) => {
      if (!mayClosePane(sessionId, key)) return
      change(sessionId, ({ tabs, active }) => {
        const rest = tabs.filter((tab) => paneKey(tab) !== key)
        const next =
          rest[
            Math.min(
              tabs.findIndex((tab) => paneKey(tab) === key),
              rest.length - 1,
            )
          ]
        return { tabs: rest, active: active === key ? next && paneKey(next) : active }
      })
    },
    showPane: (sessionId, key) => change(sessionId, (panes) => ({ ...panes, active: key })),
  }
})

/** The panes of a session. */
export function useSessionPanes(sessionId: string): SessionPanes {
  return usePanes(({ bySession }) => bySession[sessionId] ?? NO_PANES)
}

/** Opens a pane beside a session's conversation. */
export function openPane(sessionId: string, pane: Pane): void {
  usePanes.getState().openPane(sessionId, pane)
}
