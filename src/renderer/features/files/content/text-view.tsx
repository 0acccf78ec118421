import { useCallback, useEffect, useImperativeHandle, useRef, useState, useSyncExternalStore, type Ref } from 'react'
import type { TextMatch } from '../../../../shared/model/project/file-view'
import { languageOfPath } from '../../../ui/code/code-languages'
import { BlameCell } from '../../../ui/code/blame-cell'
import type { Blame } from '../../../state/git/use-blame'
import { useCodeLines } from '../../../ui/code/highlighter'
import { linePieces, matchRanges } from './line-pieces'
import type { TextLines } from './text-lines'
import { WindowScroller, type WindowScrollerHandle } from './window-scroller'

/** Lines fetched beyond the visible ones. */
const AHEAD = 200
/** How often to check whether all lines are counted, in ms. */
const COUNT_MS = 250
/** Files with more lines are not colored. */
const MAX_COLORED = 20_000
const NO_LINES: string[] = []

export interface TextViewHandle {
  showLine(line: number): void
  firstLine(): number
  focus(): void
}

interface TextViewProps {
  path: string
  text: TextLines
  /** The line to show. */
  marked: number | undefined
  matches: ReadonlyMap<number, readonly TextMatch[]>
  currentMatch: TextMatch | undefined
  /** Who last changed each line, shown beside it. */
  blame?: Blame | undefined
  ref?: Ref<TextViewHandle>
}

/** The lines of a file with their numbers, colors and matches, however many there are. */
export function TextView({ path, text, marked, matches, currentMatch, blame, ref }: TextViewProps) {
  const list = useRef<WindowScrollerHandle>(null)
  useSyncExternalStore(text.subscribe, () => text.revision)
  const [last, setLast] = useState(100)
  const isColored = text.whole !== undefined && text.whole.length <= MAX_COLORED
  const lines = isColored ? text.whole : NO_LINES
  const tokens = useCodeLines(lines, isColored ? (languageOfPath(path) ?? '') : '', last, false)
  const onRows = useCallback(
    (from: number, to: number) => {
      text.fetchRange(from - AHEAD, to + AHEAD)
      setLast(to + AHEAD)
    },
    [text],
  )
  useEffect(() => text.fetchRange(1, 1), [text])
  // The engine counts the lines of a large file while its beginning is shown.
  useEffect(() => {
    const timer = setInterval(() => {
      if (text.isCounted) clearInterval(timer)
      else void text.count()
    }, COUNT_MS)
    return () => clearInterval(timer)
  }, [text])
  useImperativeHandle(ref, () => ({
    showLine: (line) => list.current?.showRow(Math.max(0, line - 1), 'center'),
    firstLine: () => (list.current?.firstRow() ?? 0) + 1,
    focus: () => list.current?.focus(),
  }))
  const digits = String(text.total).length
  const [now] = useState(() => Date.now())
  return (
    <WindowScroller
      ref={list}
      rows={text.total}
      label={`Lines of ${path}`}
      className="file-lines"
      onRows={onRows}
      renderRow={(row) => {
        const number = row + 1
        const line = text.line(number)
        const found = matches.get(number)
        const ranges = found && line !== undefined ? matchRanges(line, found, currentMatch) : []
        const isMarked = number === marked
        return (
          <div
            key={number}
            className="file-line"
            data-marked={isMarked || undefined}
            aria-current={isMarked ? 'location' : undefined}
          >
            <span style={{ minWidth: `${digits + 2}ch` }}>{number}</span>
            {blame && <BlameCell run={blame.of(number)} line={number} now={now} />}
            <code>
              {line === undefined ? (
                <i className="file-line-loading" />
              ) : (
                linePieces(line, tokens[row], ranges).map(({ text: piece, kind, match }, n) =>
                  match ? (
                    <mark key={n} data-current={match === 'current' || undefined} className={`ct-${kind}`}>
                      {piece}
                    </mark>
                  ) : kind === 'plain' ? (
                    piece
                  ) : (
                    <span key={n} className={`ct-${kind}`}>
                      {piece}
                    </span>
                  ),
                )
              )}
              {text.isCut(number) && <span className="file-line-cut"> … this line continues</span>}
            </code>
          </div>
        )
      }}
    />
  )
}
