import { CodedError } from '../../../shared/errors'
import type { EngineOptions } from '../foundation/engine-options'
import type { EngineFoundation } from '../foundation/engine-foundation'
import { userEnv } from '../environment/command-env'
import { loginShellOf } from '../environment/login-environment'
import type { Session } from '../session/session'
import { TerminalClient, type TerminalActions, type WatchedTerminals } from '../terminal/terminal-client'

export interface EngineTerminals {
  actions: TerminalActions
  /** Finds out which terminals are watched; free if no task host was ever started. */
  refresh(): Promise<void>
  watched(session: Session): WatchedTerminals
  close(): Promise<void>
}

/** The user's own terminals of an engine. */
export function createEngineTerminals(
  { home, env, environment, settings, store, effectiveHeader, now, notify, log }: EngineFoundation,
  { taskHost }: Pick<EngineOptions, 'taskHost'>,
): EngineTerminals {
  const client = new TerminalClient({
    home,
    ...(taskHost && { program: taskHost }),
    hostEnv: env,
    async shell() {
      await environment.ready()
      const isWindows = process.platform === 'win32'
      return {
        shell: isWindows ? 'powershell.exe' : (settings().environment.shell ?? loginShellOf(process.env)),
        // A login shell on macOS only, as in the terminal programs of each system.
        args: process.platform === 'darwin' ? ['-l'] : [],
        env: userEnv(process.env, settings()),
      }
    },
    folderOf(sessionId) {
      const header = store.header(sessionId)
      if (!header) throw new CodedError('session.not_found', `There is no session ${sessionId}.`)
      return header.folder
    },
    now,
    onChange: () => notify({ kind: 'terminals' }),
  })
  let refreshed = false
  return {
    actions: {
      open: (sessionId, { cols, rows }) => client.open(sessionId, cols, rows),
      list: async (sessionId) =>
        (await client.list()).filter((terminal) => sessionId === undefined || terminal.sessionId === sessionId),
      input: (terminalId, data) => client.input(terminalId, data),
      resize: (terminalId, { cols, rows }) => client.resize(terminalId, cols, rows),
      restart: (terminalId) => client.restart(terminalId),
      letWatch: (terminalId, isWatched) => client.letWatch(terminalId, isWatched),
      close: (terminalId) => client.remove(terminalId),
      view: (terminalId, viewer) => client.view(terminalId, viewer),
    },
    async refresh() {
      if (refreshed) return
      refreshed = true
      try {
        await client.list()
      } catch (error) {
        log(`the terminals could not be listed: ${String(error)}`)
      }
    },
    watched(session) {
      const id = (): string => effectiveHeader(session).sessionId
      return {
        describe() {
          const terminals = client.watchedIn(id())
          if (terminals.length === 0) return undefined
          const lines = terminals.map(
            ({ terminalId, shell, cwd, title }) => `- ${terminalId}: ${title ?? shell} in ${cwd}`,
          )
          return (
            'The user lets you watch these terminals of theirs, read-only. ' +
            `TaskOutput with the id shows the screen:\n${lines.join('\n')}`
          )
        },
        screen: (terminalId) => client.screen(terminalId, id()),
      }
    },
    close: () => client.close(),
  }
}
