import './content.css'
import './argument-list.css'
import type { ReactNode } from 'react'
import { VISIBLE_TOKEN } from '../../../shared/visible-text'
import type { CallArgument } from '../../../shared/model/approval/preview'

interface VisibleTokensProps {
  text: string
  /** Substrings of the text to highlight. */
  marked?: readonly string[]
}

/** Text of a request: tokens for hidden characters and folded runs are set apart, dangerous parts are highlighted. */
export function VisibleTokens({ text, marked = [] }: VisibleTokensProps): ReactNode {
  return stretches(text, marked).map(({ from, to, isMarked }) => {
    const piece = tokens(text.slice(from, to))
    return isMarked ? (
      <mark key={from} className="danger-part">
        {piece}
      </mark>
    ) : (
      piece
    )
  })
}

function tokens(text: string): ReactNode[] {
  const pieces: ReactNode[] = []
  let end = 0
  for (const { 0: token, index } of text.matchAll(VISIBLE_TOKEN)) {
    if (index > end) pieces.push(text.slice(end, index))
    pieces.push(
      <span key={index} className="visible-token" title={token.startsWith('\\') ? 'Invisible character' : undefined}>
        {token}
      </span>,
    )
    end = index + token.length
  }
  return end === 0 ? [text] : [...pieces, text.slice(end)]
}

/** The text as ranges in order, each highlighted or not; overlapping ranges are merged. */
function stretches(text: string, marked: readonly string[]): { from: number; to: number; isMarked: boolean }[] {
  const found = marked
    .flatMap((piece) => {
      const from = piece === '' ? -1 : text.indexOf(piece)
      return from < 0 ? [] : [{ from, to: from + piece.length }]
    })
    .toSorted((a, b) => a.from - b.from)
  const all: { from: number; to: number; isMarked: boolean }[] = []
  let end = 0
  for (const { from, to } of found) {
    const start = Math.max(from, end)
    if (start > end) all.push({ from: end, to: start, isMarked: false })
    if (to > start) all.push({ from: start, to, isMarked: true })
    end = Math.max(end, to)
  }
  if (end < text.length) all.push({ from: end, to: text.length, isMarked: false })
  return all
}

interface ArgumentListProps {
  arguments: readonly CallArgument[]
  /** Number of characters that are not shown. */
  left?: number | undefined
  /** Rendered after the last argument. */
  end?: ReactNode
}

/** The arguments of a tool call for display: name and value, one below the other. */
export function ArgumentList({ arguments: values, left, end }: ArgumentListProps) {
  if (values.length === 0) {
    return (
      <p className="argument-note">
        Called without arguments.
        {end}
      </p>
    )
  }
  return (
    <div className="arguments" tabIndex={0} role="group" aria-label="Arguments">
      <dl>
        {values.map(({ name, text }) => (
          <div key={name}>
            <dt>
              <VisibleTokens text={name} />
            </dt>
            <dd>{text === '' ? <span className="text-ink-3">(empty)</span> : <VisibleTokens text={text} />}</dd>
          </div>
        ))}
      </dl>
      {left !== undefined && <p className="argument-note">{left.toLocaleString()} more characters are not shown.</p>}
      {end}
    </div>
  )
}
