import type { ReactNode } from 'react'
import { VISIBLE_TOKEN } from '../../../shared/model/visible-text'
import type { CodeToken } from '../code/highlighter'
import type { Stretch } from './changed-words'
import { VisibleTokens } from './visible-tokens'

interface DiffTextProps {
  text: string
  /** Its colours, once they are known. */
  tokens: readonly CodeToken[] | undefined
  /** What of it has changed. */
  changed: readonly Stretch[] | undefined
}

/** The text of a line of a diff: its code in colours, the changed words marked. What a screen would not show stays set apart, before all else. */
export function DiffText({ text, tokens, changed = [] }: DiffTextProps): ReactNode {
  if (text === '') return ' '
  if ((!tokens && changed.length === 0) || text.search(VISIBLE_TOKEN) >= 0) return <VisibleTokens text={text} />
  const kinds = tokens?.map(({ text: piece }) => piece).join('') === text ? tokens : [{ text, kind: 'plain' }]
  const pieces: ReactNode[] = []
  let at = 0
  for (const { text: piece, kind } of kinds) {
    for (const part of cut(at, at + piece.length, changed)) {
      const isChanged = changed.some(({ from, to }) => part.from >= from && part.to <= to)
      const className = [kind === 'plain' ? '' : `ct-${kind}`, isChanged ? 'diff-word' : ''].join(' ').trim()
      const written = text.slice(part.from, part.to)
      pieces.push(
        className === '' ? (
          written
        ) : (
          <span key={part.from} className={className}>
            {written}
          </span>
        ),
      )
    }
    at += piece.length
  }
  return pieces
}

/** A stretch, cut where what has changed begins and ends. */
function cut(from: number, to: number, changed: readonly Stretch[]): Stretch[] {
  const places = [from, ...changed.flatMap((one) => [one.from, one.to]).filter((place) => place > from && place < to), to]
  return places.slice(1).map((end, n) => ({ from: places[n]!, to: end }))
}
