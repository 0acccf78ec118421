import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { CaseSensitive, ChevronDown, ChevronUp, X } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import type { ConversationHit, ConversationMatches } from '../../../../shared/model/session/conversation'
import { goToRow, useSessionState } from '../../../state/session/session-view'
import { showFindMarks } from '../../../state/session/find-state'
import { closeFind, useFind } from '../../../state/page/layout-state'
import { showFailureToast } from '../../../state/page/toasts-state'
import { useClient, useQueries } from '../../../state/page/queries'
import { cx } from '../../../ui/cx'
import { IconButton } from '../../../ui/button'
import { thinkingKey, useOpenRows } from '../rows/open-rows'

/** How long typing must pause before the engine searches, in ms. */
const REST_MS = 30

/**
 * Finds text in a whole session: the engine searches, including events that are not loaded, and the transcript scrolls
 * to the match and highlights it.
 */
export function FindInSession({ sessionId }: { sessionId: string }) {
  const open = useFind((state) => state.sessionId)
  return open === sessionId ? <FindBar key={sessionId} sessionId={sessionId} /> : null
}

function FindBar({ sessionId }: { sessionId: string }) {
  const client = useClient()
  const field = useRef<HTMLInputElement>(null)
  const [words, setWords] = useState('')
  const [matchCase, setMatchCase] = useState(false)
  /** The current match, counted from the newest; undefined: no match yet. */
  const [shown, setShown] = useState<number>()
  const { matches, query, isSearching } = useMatches(sessionId, words, matchCase)
  const hits = matches?.hits ?? NO_HITS
  const current = shown === undefined ? undefined : hits.at(-1 - shown)

  // Focuses the field now, and whenever find is requested again. When the bar closes, the focus returns.
  useEffect(() => {
    const before = document.activeElement
    const focus = (): void => {
      field.current?.focus()
      field.current?.select()
    }
    focus()
    const stop = useFind.subscribe((state) => state.sessionId === sessionId && focus())
    return () => {
      stop()
      if (before instanceof HTMLElement && before.isConnected) before.focus({ preventScroll: true })
    }
  }, [sessionId])
  useEffect(
    () => showFindMarks({ sessionId, query, matchCase, itemId: current?.itemId }),
    [sessionId, query, matchCase, current?.itemId],
  )
  useEffect(() => () => showFindMarks(undefined), [])

  const go = (by: 1 | -1): void => {
    if (hits.length === 0) return
    const next = shown === undefined ? (by === 1 ? 0 : hits.length - 1) : (shown + by + hits.length) % hits.length
    setShown(next)
    const hit = hits.at(-1 - next)
    if (!hit) return
    openRow(sessionId, hit)
    goToRow(client, sessionId, hit).catch(showFailureToast)
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
        data-find-field
        spellCheck={false}
        maxLength={500}
        className={cx(
          'h-[25px] min-w-0 max-w-[360px] flex-1 rounded-sm border',
          'border-line-strong bg-raised px-2 text-small text-ink',
        )}
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
      <IconButton
        label="Match case"
        aria-pressed={matchCase}
        className={cx(matchCase && 'bg-sunken text-ink')}
        onClick={() => {
          setMatchCase(!matchCase)
          setShown(undefined)
        }}
      >
        <CaseSensitive aria-hidden />
      </IconButton>
      <span role="status" className="min-w-[84px] text-right text-tiny text-ink-3 tabular-nums">
        {matches && !isSearching ? hitCountText(matches, hits.length, shown) : ''}
      </span>
      <IconButton label="Newer match" kbd="Shift+Enter" disabled={hits.length === 0} onClick={() => go(-1)}>
        <ChevronDown aria-hidden />
      </IconButton>
      <IconButton label="Older match" kbd="Enter" disabled={hits.length === 0} onClick={() => go(1)}>
        <ChevronUp aria-hidden />
      </IconButton>
      <IconButton label="Close find" kbd="Esc" className="ml-auto" onClick={closeFind}>
        <X aria-hidden />
      </IconButton>
    </div>
  )
}

const NO_HITS: readonly ConversationHit[] = []

/** What the engine finds; undefined for an empty query. Searches again when a turn has started or ended. */
function useMatches(
  sessionId: string,
  words: string,
  matchCase: boolean,
): { matches: ConversationMatches | undefined; query: string; isSearching: boolean } {
  const queries = useQueries()
  const [query, setQuery] = useState('')
  useEffect(() => {
    const timer = setTimeout(() => setQuery(words), REST_MS)
    return () => clearTimeout(timer)
  }, [words])
  // The empty query makes the engine read the conversation before anything is typed.
  const { data, isPlaceholderData, refetch } = useQuery(
    queries.conversation.find.queryOptions({
      input: { sessionId, query, matchCase },
      placeholderData: keepPreviousData,
      staleTime: 0,
      gcTime: 0,
    }),
  )
  const turn = useSessionState(sessionId, ({ view }) => `${view?.header.turns} ${view?.header.turnId}`)
  const searched = useRef(turn)
  useEffect(() => {
    if (searched.current !== turn) void refetch()
    searched.current = turn
  }, [turn, refetch])
  return {
    matches: query === '' || words === '' ? undefined : data,
    query: words === '' ? '' : query,
    isSearching: isPlaceholderData || words !== query,
  }
}

/** Expands a row whose match is in its details. */
function openRow(sessionId: string, { itemId, part }: ConversationHit): void {
  const { show } = useOpenRows.getState()
  if (part === 'call' || part === 'result') show(`${sessionId}/${itemId}`)
  if (part === 'thinking') show(thinkingKey(itemId))
}

function hitCountText({ rows, matches }: ConversationMatches, count: number, shown: number | undefined): string {
  if (rows === 0) return 'No results'
  const all = `${count.toLocaleString()}${count < rows ? '+' : ''}`
  if (shown !== undefined) return `${(shown + 1).toLocaleString()} of ${all}`
  const inRows = `${all} ${rows === 1 ? 'place' : 'places'}`
  return matches === rows ? inRows : `${matches.toLocaleString()} matches in ${inRows}`
}
