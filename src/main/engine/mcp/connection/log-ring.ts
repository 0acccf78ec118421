import type { McpLogLine } from '../../../../shared/model/mcp'

const MOST_LINES = 500
const MOST_CHARS = 4_000
/** The end of what a server printed, as it stands in an error. */
const TAIL_LINES = 12
const TAIL_CHARS = 2_000

/** Said in the log when a program is started a second time at once; what the first start printed says nothing new. */
export const STARTED_AGAIN = {
  olderOnly: 'It ended before it said which version of the protocol it speaks. Starting it again for an older one.',
  newerOnly: 'It started slowly and settled on an older version of the protocol. Starting it again for the newest.',
}
const RESTARTS: readonly string[] = Object.values(STARTED_AGAIN)

/** The newest lines of a server's log. */
export class LogRing {
  #lines: McpLogLine[] = []

  add(line: Omit<McpLogLine, 'at'>): void {
    const text = line.text.length > MOST_CHARS ? `${line.text.slice(0, MOST_CHARS)}…` : line.text
    this.#lines.push({ ...line, text, at: Date.now() })
    // Not at every line: a server may print thousands a second.
    if (this.#lines.length > MOST_LINES * 2) this.#lines = this.#lines.slice(-MOST_LINES)
  }

  lines(): McpLogLine[] {
    return this.#lines.slice(-MOST_LINES)
  }

  /** The end of what was printed to stderr since `since` (ms since the epoch). */
  stderr(since = 0): string {
    const text = printedLast(this.#lines)
      .filter(({ at }) => at >= since)
      .slice(-TAIL_LINES)
      .map((line) => line.text)
      .join('\n')
    return text.length > TAIL_CHARS ? `…${text.slice(-TAIL_CHARS)}` : text
  }
}

/** What a program has printed to stderr, without an earlier start that it was started again after at once. */
export function printedLast(lines: readonly McpLogLine[]): McpLogLine[] {
  const restart = lines.findLastIndex(({ text }) => RESTARTS.includes(text))
  return lines.slice(restart + 1).filter(({ from }) => from === 'stderr')
}
