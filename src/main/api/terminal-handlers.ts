import type { ApiDeps, Implementer } from './implementer'

export function terminalHandlers(os: Implementer, { engine: { terminals } }: ApiDeps) {
  return {
    open: os.terminal.open.handler(({ input: { sessionId, ...size } }) => terminals.open(sessionId, size)),
    list: os.terminal.list.handler(({ input }) => terminals.list(input.sessionId)),
    input: os.terminal.input.handler(({ input }) => terminals.input(input.terminalId, input.data)),
    resize: os.terminal.resize.handler(({ input: { terminalId, ...size } }) => terminals.resize(terminalId, size)),
    restart: os.terminal.restart.handler(({ input }) => terminals.restart(input.terminalId)),
    letWatch: os.terminal.letWatch.handler(({ input }) => terminals.letWatch(input.terminalId, input.isWatched)),
    close: os.terminal.close.handler(({ input }) => terminals.close(input.terminalId)),
  }
}
