import headless from '@xterm/headless'
import { spawn } from 'node-pty'
import { join } from 'node:path'
import { until } from './until'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')

/** The built `trestle chat` in its own terminal: send keys, read the screen. */
export interface ChatTerminal {
  /** All output, raw. */
  raw(): string
  /** The visible screen with its scrollback; lines without trailing spaces. */
  screen(): string
  /** Resolves when the screen matches; a string matches also where the terminal wraps it between words. */
  shows(what: RegExp | string): Promise<void>
  type(keys: string): void
  resize(columns: number, rows: number): void
  /** Its exit status. */
  ended: Promise<{ code: number }>
  kill(signal?: string): void
}

const unwrapped = (text: string): string => text.replaceAll('\n', ' ')

export function startChat(
  args: readonly string[],
  {
    home,
    env = {},
    columns = 80,
    rows = 40,
  }: { home: string; env?: Record<string, string>; columns?: number; rows?: number },
): ChatTerminal {
  const { PATH = '', HOME = '' } = process.env
  const pty = spawn(process.execPath, [CLI, 'chat', ...args], {
    cols: columns,
    rows,
    env: { PATH, HOME, TERM: 'xterm-256color', TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: home, ...env },
  })
  const terminal = new headless.Terminal({ cols: columns, rows, scrollback: 5000, allowProposedApi: true })
  let raw = ''
  pty.onData((text) => {
    raw += text
    terminal.write(text)
  })
  const ended = new Promise<{ code: number }>((resolve) => pty.onExit(({ exitCode }) => resolve({ code: exitCode })))
  const screen = (): string => {
    const { active } = terminal.buffer
    const lines = Array.from(
      { length: active.length },
      (_, index) => active.getLine(index)?.translateToString(true) ?? '',
    )
    return lines.join('\n').trimEnd()
  }
  return {
    raw: () => raw,
    screen,
    async shows(what) {
      const isThere = (): boolean =>
        typeof what === 'string' ? unwrapped(screen()).includes(unwrapped(what)) : what.test(screen())
      await until(isThere, `${String(what)} on the screen`, 15_000).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${screen()}`)
      })
    },
    type: (keys) => pty.write(keys),
    resize(columns, rows) {
      pty.resize(columns, rows)
      terminal.resize(columns, rows)
    },
    ended,
    kill: (signal = 'SIGKILL') => pty.kill(signal),
  }
}
