import { memo, useMemo, useState, type ReactNode } from 'react'
import type { CodeToken } from '../code/highlighter'
import { changedWords, type Stretch } from './changed-words'
import './content.css'
import { diffLines, type DiffLine } from './diff-lines'
import { DiffText } from './diff-text'
import { useDiffColors } from './use-diff-colors'

interface DiffViewProps {
  /** A unified diff of one file. */
  diff: string
  /** The file: its ending says how its code is coloured. */
  path?: string
  /** Rows shown at first; the rest on request. */
  limit?: number
  /** Put behind the last row, once all are shown. */
  end?: ReactNode
}

/** Longer than any line of a request, which the engine has folded. */
const LINE_LIMIT = 4000

/** A diff with the line numbers of both sides. Long ones show their beginning first. */
export const DiffView = memo(function DiffView({ diff, path, limit = 60, end }: DiffViewProps) {
  const [all, setAll] = useState(false)
  const lines = useMemo(() => diffLines(diff), [diff])
  const long = lines.length > limit + 8
  const shown = long && !all ? lines.slice(0, limit) : lines
  const changed = useMemo(() => changedWords(lines), [lines])
  const colors = useDiffColors(shown, path)
  if (lines.length === 0)
    return (
      <p className="px-3 py-2 text-small text-ink-3">
        No change in the text.
        {end}
      </p>
    )
  return (
    <div>
      <div className="diff" role="group" aria-label="Changes" tabIndex={0}>
        <div className="diff-rows">
          {shown.map((line, index) => (
            <DiffRow key={index} line={line} tokens={colors(line)} changed={changed.get(index)} />
          ))}
        </div>
        {shown.length === lines.length && end}
      </div>
      {long && (
        <button type="button" className="diff-more" aria-expanded={all} onClick={() => setAll(!all)}>
          {all ? `Show the first ${limit} lines` : `Show all ${lines.length.toLocaleString()} lines`}
        </button>
      )}
    </div>
  )
})

const DiffRow = memo(function DiffRow({
  line,
  tokens,
  changed,
}: {
  line: DiffLine
  tokens: readonly CodeToken[] | undefined
  changed: readonly Stretch[] | undefined
}) {
  if (line.kind === 'gap') {
    return (
      <div className="diff-gap">
        <span>
          {line.hidden.toLocaleString()} unchanged {line.hidden === 1 ? 'line' : 'lines'}
          {line.text && ` · ${line.text.slice(0, 120)}`}
        </span>
      </div>
    )
  }
  if (line.kind === 'note') {
    return (
      <div className="diff-gap">
        <span>{line.text}</span>
      </div>
    )
  }
  const text =
    line.text.length > LINE_LIMIT
      ? `${line.text.slice(0, LINE_LIMIT)} … ${(line.text.length - LINE_LIMIT).toLocaleString()} more characters`
      : line.text
  return (
    <div className="diff-row" data-kind={line.kind}>
      <span className="diff-n">{line.kind === 'add' ? '' : line.old}</span>
      <span className="diff-n">{line.kind === 'del' ? '' : line.new}</span>
      <span className="diff-sign">{line.kind === 'add' ? '+' : line.kind === 'del' ? '−' : ''}</span>
      <span className="diff-text">
        <DiffText text={text} tokens={tokens} changed={changed} />
      </span>
    </div>
  )
})
