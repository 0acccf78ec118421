import type { SearchHit } from '../../../shared/model/session'
import { titleOf } from '../../state/ordered-sessions'
import { shortAgo, useMinute } from '../../state/relative-time'
import { snippetPieces } from './tree-rows'

interface HitRowProps {
  hit: SearchHit
  rowKey: string
  reachable: boolean
  onOpen: (hit: SearchHit) => void
  onFocus: (key: string) => void
}

/** A message that fits the search: the session it is in and the words around the match. */
export function HitRow({ hit, rowKey, reachable, onOpen, onFocus }: HitRowProps) {
  const now = useMinute()
  return (
    <div
      role="treeitem"
      aria-level={1}
      aria-selected={false}
      data-row={rowKey}
      tabIndex={reachable ? 0 : -1}
      onClick={() => onOpen(hit)}
      onFocus={() => onFocus(rowKey)}
      onKeyDown={(event) => {
        if (event.key !== 'Enter' && event.key !== ' ') return
        event.preventDefault()
        onOpen(hit)
      }}
      className="cursor-pointer rounded-[6px] px-2 py-1.5 text-ink-2 select-none hover:bg-sunken focus-visible:-outline-offset-2"
    >
      <div className="flex items-baseline gap-2">
        <span className="min-w-0 flex-1 truncate text-ink">{titleOf(hit)}</span>
        <time dateTime={new Date(hit.at).toISOString()} className="flex-none text-tiny text-ink-3">
          {shortAgo(hit.at, now)}
        </time>
      </div>
      <p className="line-clamp-2 text-small break-words">
        {snippetPieces(hit.snippet).map((piece, index) =>
          piece.marked ? (
            <mark key={index} className="rounded-[3px] bg-wait-bg px-px font-medium text-wait-ink">
              {piece.text}
            </mark>
          ) : (
            <span key={index}>{piece.text}</span>
          ),
        )}
      </p>
    </div>
  )
}
