import type { TerminalPush } from '../../../../shared/model/terminal'
import type { TerminalNotifications, TerminalRequests } from './task-protocol'
import type { UserTerminals } from './user-terminals'

export interface TerminalClient {
  /** Identifies the client among all. */
  key: string
  send<Name extends keyof TerminalNotifications>(name: Name, params: TerminalNotifications[Name], size: number): void
  /** Whether it has taken what was sent. */
  isReady(): boolean
  /** Called when it is gone. */
  onGone(cleanup: () => void): void
}

type TerminalHandlers = {
  [Method in keyof TerminalRequests]: (params: TerminalRequests[Method]['params']) => unknown
}

/** What a client of the host can do with the user's terminals. */
export function terminalRequests(terminals: UserTerminals, client: TerminalClient): TerminalHandlers {
  const viewed = new Map<number, string>()
  const keyOf = (viewId: number): string => `${viewId} ${client.key}`
  const leave = (viewId: number): void => {
    const terminalId = viewed.get(viewId)
    viewed.delete(viewId)
    if (terminalId !== undefined) terminals.leave(terminalId, keyOf(viewId))
  }
  client.onGone(() => {
    for (const viewId of viewed.keys()) leave(viewId)
  })
  return {
    followTerminals() {
      client.onGone(terminals.onChange(() => client.send('terminals', { terminals: terminals.list() }, 0)))
      return terminals.list()
    },
    openTerminal: (start) => terminals.open(start),
    restartTerminal: ({ terminalId, startedAt }) => terminals.restart(terminalId, startedAt),
    terminalInput: ({ terminalId, data }) => terminals.input(terminalId, data),
    resizeTerminal: ({ terminalId, cols, rows }) => terminals.resize(terminalId, cols, rows),
    watchTerminal: ({ terminalId, isWatched }) => terminals.letWatch(terminalId, isWatched),
    terminalScreen: ({ terminalId, sessionId }) => terminals.screen(terminalId, sessionId),
    closeTerminal: ({ terminalId }) => terminals.close(terminalId),
    viewTerminal({ viewId, terminalId }) {
      viewed.set(viewId, terminalId)
      const send = (push: TerminalPush): void =>
        client.send('terminalPushed', { viewId, push }, push.type === 'terminal' ? 0 : push.text.length)
      return terminals.look(terminalId, keyOf(viewId), send, () => client.isReady())
    },
    leaveTerminal({ viewId }) {
      leave(viewId)
      return null
    },
  }
}
