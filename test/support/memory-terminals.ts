import { CodedError } from '../../src/shared/errors'
import type { UserTerminal } from '../../src/shared/model/task/terminal'
import type { Engine } from '../../src/main/engine/engine-api'
import type { EngineChange } from '../../src/main/engine/foundation/engine-options'

/** Terminals without shells, which print what is typed. */
export function memoryTerminals(changed: (change: EngineChange) => void): Engine['terminals'] {
  const terminals = new Map<string, UserTerminal>()
  const viewers = new Map<string, Set<Parameters<Engine['terminals']['view']>[1]>>()
  const put = (terminal: UserTerminal): UserTerminal => {
    terminals.set(terminal.terminalId, terminal)
    changed({ kind: 'terminals' })
    return terminal
  }
  const get = (terminalId: string): UserTerminal => {
    const terminal = terminals.get(terminalId)
    if (!terminal) throw new CodedError('terminal.not_found', `There is no terminal ${terminalId}.`)
    return terminal
  }
  return {
    open: async (sessionId) =>
      put({
        terminalId: `term-${terminals.size + 1}`,
        sessionId,
        shell: '/bin/sh',
        cwd: '/p',
        status: 'running',
        startedAt: 0,
        isWatched: false,
      }),
    list: async (sessionId) =>
      [...terminals.values()].filter((terminal) => sessionId === undefined || terminal.sessionId === sessionId),
    async input(terminalId, text) {
      get(terminalId)
      for (const { push } of viewers.get(terminalId) ?? []) push({ type: 'output', text })
    },
    resize: async (terminalId) => void get(terminalId),
    restart: async (terminalId) => put(get(terminalId)),
    letWatch: async (terminalId, isWatched) => put({ ...get(terminalId), isWatched }),
    async close(terminalId) {
      get(terminalId)
      terminals.delete(terminalId)
      changed({ kind: 'terminals' })
    },
    view(terminalId, viewer) {
      const all = viewers.get(terminalId) ?? new Set()
      viewers.set(terminalId, all.add(viewer))
      queueMicrotask(() => viewer.push({ type: 'start', terminal: get(terminalId), text: '' }))
      return () => all.delete(viewer)
    },
  }
}
