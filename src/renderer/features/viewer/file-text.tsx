import { useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import { languageOfPath } from '../../ui/code/code-languages'
import type { CodeToken } from '../../ui/code/highlighter'
import { useCodeLines } from '../../ui/code/use-code-lines'

interface FileTextProps {
  path: string
  lines: string[]
  /** Number of the first of them. */
  from: number
  marked: number | undefined
  onMoreAbove: (() => void) | undefined
  onMoreBelow: (() => void) | undefined
}

/** The lines of a file with their numbers. Only those on screen are in the page. */
export function FileText({ path, lines, from, marked, onMoreAbove, onMoreBelow }: FileTextProps) {
  const list = useRef<VirtualizerHandle>(null)
  const [was, setWas] = useState(from)
  const tokens = useCodeLines(lines, languageOfPath(path) ?? '', lines.length, false)
  // Lines that come above do not move what is being read.
  const shift = from < was
  if (from !== was) setWas(from)
  useLayoutEffect(() => {
    if (marked !== undefined) list.current?.scrollToIndex(Math.max(0, marked - from), { align: 'center' })
    // Only where the file is opened.
    // eslint-disable-next-line react-hooks/exhaustive-deps
  }, [])
  return (
    <div className="file-viewer-text" tabIndex={0} role="group" aria-label={`Lines of ${path}`}>
      {onMoreAbove && (
        <button type="button" className="code-more" onClick={onMoreAbove}>
          Show the lines above
        </button>
      )}
      <Virtualizer ref={list} shift={shift}>
        {lines.map((line, n) => (
          <div
            key={from + n}
            className="file-viewer-line"
            data-marked={from + n === marked || undefined}
            aria-current={from + n === marked ? 'location' : undefined}
          >
            <span>{from + n}</span>
            <code>{tokens[n] ? colored(tokens[n]) : line || ' '}</code>
          </div>
        ))}
      </Virtualizer>
      {onMoreBelow && (
        <button type="button" className="code-more" onClick={onMoreBelow}>
          Show the lines below
        </button>
      )}
    </div>
  )
}

function colored(tokens: readonly CodeToken[]): ReactNode {
  if (tokens.length === 0) return ' '
  return tokens.map(({ text, kind }, n) =>
    kind === 'plain' ? (
      text
    ) : (
      <span key={n} className={`ct-${kind}`}>
        {text}
      </span>
    ),
  )
}
