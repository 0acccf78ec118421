import type { ReactNode } from 'react'
import { VISIBLE_TOKEN } from '../../../shared/model/visible-text'
import './content.css'

interface VisibleTokensProps {
  text: string
  /** Pieces of the text to highlight, as they are written in it. */
  marked?: readonly string[]
}

/** Text of a request, with the tokens that stand for hidden characters and folded runs set apart, and dangerous parts highlighted. */
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

/** The text as stretches in order, each highlighted or not; overlapping pieces become one. */
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
