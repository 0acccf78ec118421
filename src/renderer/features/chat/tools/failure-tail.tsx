import type { ToolItem } from '../../../../shared/model/transcript-item'
import { textOf } from '../../../../shared/model/message'
import { PathText } from '../../../ui/content/file-link'
import { withoutAnsi } from '../../../ui/content/ansi-spans'

/** Lines of a failed command that are seen without opening it. */
const LINES = 6
const MOST_CHARS = 240

/** Why a call failed, below its closed row: the last lines of a command, the first line of any other failure. */
export function FailureTail({ item }: { item: ToolItem }) {
  const lines = failureLines(item)
  if (lines.length === 0) return null
  return (
    <pre className="tool-tail" role="group" aria-label="Why it failed">
      <PathText text={lines.join('\n')} />
    </pre>
  )
}

/** The lines; none when the call did not fail. */
export function failureLines({ state, details, content }: Pick<ToolItem, 'state' | 'details' | 'content'>): string[] {
  if (details?.kind === 'output') {
    const hasFailed = details.exitCode === undefined ? state === 'failed' : details.exitCode !== 0
    if (!hasFailed) return []
    // Blank lines between say nothing here.
    const lines = withoutAnsi(details.text)
      .split('\n')
      .filter((line) => line.trim() !== '')
    return lines.slice(-LINES).map(cut)
  }
  if (state !== 'failed' || !content) return []
  const first = textOf(content)
    .split('\n')
    .find((line) => line.trim() !== '')
  return first === undefined ? [] : [cut(first.trim())]
}

function cut(line: string): string {
  return line.length > MOST_CHARS ? `${line.slice(0, MOST_CHARS)} …` : line
}
