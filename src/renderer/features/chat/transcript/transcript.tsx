import { ArrowDown } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { UserPart } from '../../../../shared/model/message'
import type { TranscriptItem } from '../../../../shared/model/transcript-item'
import type { SessionView } from '../../../../shared/model/view'
import { registerTranscript } from '../../../state/session-view'
import { Spinner } from '../../../ui/spinner'
import { OpenLink } from '../markdown/open-link'
import { Announcer } from './announcer'
import { useOpenRows } from '../rows/open-rows'
import { gapAbove, isHidden, promptOf, Row } from '../rows/row'
import { freshRows, ScrollOwner, type Away } from './scroll-owner'
import './transcript.css'
import { WaitingRow } from './waiting-row'

export interface TranscriptProps {
  sessionId: string
  view: SessionView
  aliveAt: number
  loadingOlder: boolean
  onLoadOlder: () => void
  /** Sends a prompt: "Try again" and "Continue". */
  onPrompt: (parts: UserPart[]) => void
  onOpenLink: (url: string) => void
  /** What waits for the reader, in two words: said by the button that leads to the end. */
  needs?: string | undefined
  /** Shown instead while there are no rows. */
  empty?: ReactNode
}

/** The same as in transcript.css. */
const PADDING_TOP = 22
/** How long a row that was looked for stays marked. */
const MARK_MS = 4000

/** The conversation. Only what is near the viewport is in the document; the scroll position has one owner (useScrollOwner). */
export function Transcript({ sessionId, view, aliveAt, loadingOlder, onLoadOlder, onPrompt, onOpenLink, needs, empty }: TranscriptProps) {
  const { items, hasMore, header } = view
  const list = useRef<VirtualizerHandle>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [away, setAway] = useState<Away>()
  const [marked, setMarked] = useState<string>()
  const [owner] = useState(() => new ScrollOwner(sessionId, PADDING_TOP, setAway))

  useLayoutEffect(() => owner.show({ items, hasMore, onLoadOlder }))
  useLayoutEffect(() => {
    const parts = { list, scroller: scroller.current, content: content.current }
    return parts.scroller && parts.content ? owner.attach({ list, scroller: parts.scroller, content: parts.content }) : () => undefined
  }, [owner])
  useEffect(
    () =>
      registerTranscript(sessionId, {
        toCall: (callId) => {
          const id = owner.goToCall(callId)
          if (id !== undefined) useOpenRows.getState().show(`${sessionId}/${id}`)
          return id !== undefined
        },
        toItem: (itemId) => {
          const there = owner.goToItem(itemId)
          if (there) setMarked(itemId)
          return there
        },
        toEnd: () => owner.goToEnd(),
      }),
    [sessionId, owner],
  )
  useEffect(() => {
    if (marked === undefined) return undefined
    const timer = setTimeout(() => setMarked(undefined), MARK_MS)
    return () => clearTimeout(timer)
  }, [marked])

  const busy = header.turnId !== undefined
  const drawRow = useCallback(
    (item: TranscriptItem, index: number) => (
      <Row
        key={item.id}
        sessionId={sessionId}
        item={item}
        hidden={isHidden(item)}
        marked={item.id === marked}
        gap={gapAbove(items, index)}
        latest={item.kind === 'end' && index === items.length - 1 && !busy}
        prompt={item.kind === 'end' ? promptOf(items, index) : undefined}
        onPrompt={onPrompt}
      />
    ),
    [sessionId, items, busy, marked, onPrompt],
  )

  const { saved } = owner
  const sizes = saved && saved.count === items.length && saved.firstId === items[0]?.id ? saved.sizes : undefined
  const fresh = away ? freshRows(items, away.lastSeen) : 0
  return (
    <OpenLink value={onOpenLink}>
      <div className="transcript">
        <div ref={scroller} className="transcript-scroll" tabIndex={0} role="region" aria-label="Conversation">
          <div ref={content} className="transcript-content">
            {items.length === 0 && !busy ? (
              <div className="transcript-empty">{empty}</div>
            ) : (
              <Virtualizer
                ref={list}
                scrollRef={scroller}
                startMargin={PADDING_TOP}
                data={items}
                // Older rows in front: the position is kept from the end for this one drawing; the store sees to it that nothing else changes with it.
                shift={owner.isPrepended(items)}
                bufferSize={500}
                {...(sizes && { cache: sizes })}
                onScroll={() => owner.look()}
              >
                {drawRow}
              </Virtualizer>
            )}
            <div className="transcript-foot">{busy && <WaitingRow view={view} aliveAt={aliveAt} />}</div>
          </div>
        </div>
        {loadingOlder && (
          <div className="transcript-loading">
            <Spinner label="Loading earlier messages" />
          </div>
        )}
        {away && (
          <button type="button" className="transcript-latest" onClick={() => owner.jumpToEnd()}>
            <ArrowDown aria-hidden />
            {needs ?? (fresh > 0 ? `${fresh} new` : 'Latest')}
            <span className="sr-only">: jump to the latest message</span>
          </button>
        )}
        <Announcer items={items} />
      </div>
    </OpenLink>
  )
}
