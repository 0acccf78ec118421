import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChevronDown, ChevronUp, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { goToMessage } from '../../../state/session/session-view'
import { closeFind, useFind } from '../../../state/page/layout-state'
import { showFailureToast } from '../../../state/page/toasts-state'
import { useClient, useQueries } from '../../../state/page/queries'
import { IconButton } from '../../../ui/button'

/** The maximum of one search. */
const MAX_HITS = 100

/**
 * Finds messages in a session, including the part that is not loaded: the engine searches, and the transcript scrolls
 * to the match.
 */
export function FindInSession({ sessionId }: { sessionId: string }) {
  const open = useFind((state) => state.sessionId)
  return open === sessionId ? <FindBar key={sessionId} sessionId={sessionId} /> : null
}

function FindBar({ sessionId }: { sessionId: string }) {
  const client = useClient()
  const queries = useQueries()
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  /** The current match, counted from the newest; undefined: none yet. */
  const [shown, setShown] = useState<number>()
  const query = words.trim()
  const { data: hits, isFetching } = useQuery(
    queries.session.search.queryOptions({
      input: { query, limit: MAX_HITS, sessionId },
      enabled: query !== '',
      placeholderData: keepPreviousData,
    }),
  )
  const matches = query === '' ? undefined : hits

  // Now, and whenever the user asks again.
  useEffect(() => {
    const focus = (): void => {
      field.current?.focus()
      field.current?.select()
    }
    focus()
    return useFind.subscribe(focus)
  }, [])

  const go = (by: 1 | -1): void => {
    if (!matches || matches.length === 0) return
    const next = shown === undefined ? 0 : (shown + by + matches.length) % matches.length
    setShown(next)
    const hit = matches[next]
    if (hit) goToMessage(client, sessionId, hit.seq).catch(showFailureToast)
  }

  return (
    <div
      role="search"
      aria-label="Session"
      className="flex flex-none items-center gap-1 border-b border-line bg-panel px-[18px] py-1 max-mid:px-3"
    >
      <input
        ref={field}
        type="text"
        value={words}
        aria-label="Find in this session"
        placeholder="Find in this session"
        spellCheck={false}
        maxLength={500}
        className="h-[25px] min-w-0 max-w-[360px] flex-1 rounded-sm border border-line-strong bg-raised px-2 text-small text-ink"
        onChange={(event) => {
          setWords(event.target.value)
          setShown(undefined)
        }}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter') {
            event.preventDefault()
            go(event.shiftKey ? -1 : 1)
          } else if (event.key === 'Escape') {
            event.preventDefault()
            event.stopPropagation()
            closeFind()
          }
        }}
      />
      <span role="status" className="min-w-[84px] text-right text-tiny text-ink-3 tabular-nums">
        {matches && !isFetching ? hitCountText(matches.length, shown) : ''}
      </span>
      <IconButton label="Newer match" disabled={!matches?.length} onClick={() => go(-1)}>
        <ChevronDown aria-hidden />
      </IconButton>
      <IconButton label="Older match" disabled={!matches?.length} onClick={() => go(1)}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton label="Close find" className="ml-auto" onClick={closeFind}>
        <X aria-hidden />
      </IconButton>
    </div>
  )
}

function hitCountText(count: number, shown: number | undefined): string {
  if (count === 0) return 'No results'
  const all = count >= MAX_HITS ? `${MAX_HITS}+` : String(count)
  return shown === undefined ? `${all} ${count === 1 ? 'message' : 'messages'}` : `${shown + 1} of ${all}`
}
