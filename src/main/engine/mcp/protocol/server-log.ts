import type { McpLogLine } from '../../../../shared/configuration/customize/mcp'
import { cutText, cutTextStart, shortText } from '../../../../shared/cut-text'

const MAX_LINES = 500
const MAX_LINE_CHARS = 4_000
/** Number of lines at the end of a server's output that are included in an error. */
const TAIL_LINES = 12
const TAIL_CHARS = 2_000

/** Logged when a program is restarted immediately; the output of its first start adds nothing. */
export const RESTART_MESSAGES = {
  olderOnly: 'It ended before it said which version of the protocol it speaks. Starting it again for an older one.',
  newerOnly: 'It started slowly and settled on an older version of the protocol. Starting it again for the newest.',
}
const RESTARTS: readonly string[] = Object.values(RESTART_MESSAGES)

/** The newest lines of a server's log. */
export class ServerLog {
  #lines: McpLogLine[] = []

  add(line: Omit<McpLogLine, 'at'>): void {
    const text = line.text.length > MAX_LINE_CHARS ? `${cutText(line.text, MAX_LINE_CHARS)}…` : line.text
    this.#lines.push({ ...line, text, at: Date.now() })
    // Not on every line, because a server may print thousands per second.
    if (this.#lines.length > MAX_LINES * 2) this.#lines = this.#lines.slice(-MAX_LINES)
  }

  lines(): McpLogLine[] {
    return this.#lines.slice(-MAX_LINES)
  }

  /** The end of what was printed to stderr since `since` (ms since the epoch). */
  stderrTail(since = 0): string {
    const text = lastStderr(this.#lines)
      .filter(({ at }) => at >= since)
      .slice(-TAIL_LINES)
      .map((line) => line.text)
      .join('\n')
    return text.length > TAIL_CHARS ? `…${cutTextStart(text, TAIL_CHARS)}` : text
  }
}

/** The stderr output of a program, excluding a first start that was immediately followed by a restart. */
export function lastStderr(lines: readonly McpLogLine[]): McpLogLine[] {
  const restart = lines.findLastIndex(({ text }) => RESTARTS.includes(text))
  return lines.slice(restart + 1).filter(({ from }) => from === 'stderr')
}

/**
 * Characters that would hide or reorder other text on screen: control characters except line feeds and tabs, direction
 * marks, zero-width characters.
 */
const UNSEEN =
  /[^\P{Cc}\n\t]|[\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

/** A server's text for display: at most `max` characters, without characters that hide other text. */
export function serverText(text: string, max: number): string {
  return shortText(withoutUnseen(text.slice(0, max * 2)).trim(), max)
}

/** A server's text without characters that hide other text. */
export function withoutUnseen(text: string): string {
  return text.replace(/\r\n?/g, '\n').replace(UNSEEN, '')
}

/** The same on one line. */
export function serverLine(text: string, max: number): string {
  return serverText(text.slice(0, max * 4).replace(/\s+/g, ' '), max)
}
