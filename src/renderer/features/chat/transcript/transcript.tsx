import './transcript.css'
import { ArrowDown } from 'lucide-react'
import { useCallback, useEffect, useLayoutEffect, useRef, useState, type ReactNode } from 'react'
import { Virtualizer, type VirtualizerHandle } from 'virtua'
import type { UserPart } from '../../../../shared/model/turn/message'
import { type TranscriptItem, turnFigures } from '../../../../shared/events/transcript-item'
import type { SessionView } from '../../../../shared/events/session-view'
import { registerTranscript } from '../../../state/session/session-view'
import { Spinner } from '../../../ui/loading'
import { OpenLinkContext } from '../markdown-elements/web-link'
import { useOpenRows } from '../rows/open-rows'
import { gapAbove, isHidden, promptOf, Row } from '../rows/row'
import { countNewRows, ScrollOwner, type AwayFromEnd } from './scroll-owner'
import { useFindHighlight } from './find-highlight'
import { WaitingRow } from './waiting-row'
import { Button } from '../../../ui/button'

export interface TranscriptProps {
  sessionId: string
  view: SessionView
  aliveAt: number
  loadingOlder: boolean
  onLoadOlder: () => void
  /** Sends a prompt: "Try again" and "Continue". */
  onPrompt: (parts: UserPart[]) => void
  onOpenLink: (url: string) => void
  /** A short label of what is pending, for the button that jumps to the end. */
  needs?: string | undefined
  /** Shown instead while there are no rows. */
  empty?: ReactNode
  /** Its accessible name. */
  name?: string
}

/** The same as in transcript.css. */
const PADDING_TOP = 22
/** How long a search result stays highlighted. */
const MARK_MS = 4000

/**
 * The conversation as a virtualized list: only rows near the viewport are in the document. useScrollOwner owns the
 * scroll position.
 */
export function Transcript({
  sessionId,
  view,
  aliveAt,
  loadingOlder,
  onLoadOlder,
  onPrompt,
  onOpenLink,
  needs,
  empty,
  name = 'Conversation',
}: TranscriptProps) {
  const { items, hasMore, header } = view
  const list = useRef<VirtualizerHandle>(null)
  const scroller = useRef<HTMLDivElement>(null)
  const content = useRef<HTMLDivElement>(null)
  const [away, setAway] = useState<AwayFromEnd>()
  const [marked, setMarked] = useState<string>()
  const [owner] = useState(() => new ScrollOwner(sessionId, PADDING_TOP, setAway))

  useLayoutEffect(() => owner.show({ items, hasMore, onLoadOlder }))
  useLayoutEffect(() => {
    const parts = { list, scroller: scroller.current, content: content.current }
    return parts.scroller && parts.content
      ? owner.attach({ list, scroller: parts.scroller, content: parts.content })
      : () => undefined
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

  useFindHighlight(sessionId, content)

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
        figures={turnFigures(items, index)}
        onPrompt={onPrompt}
      />
    ),
    [sessionId, items, busy, marked, onPrompt],
  )

  const { saved } = owner
  const sizes = saved && saved.count === items.length && saved.firstId === items[0]?.id ? saved.sizes : undefined
  const fresh = away ? countNewRows(items, away.lastSeen) : 0
  return (
    <OpenLinkContext value={onOpenLink}>
      <div className="transcript">
        {/* Headings of answers start at h3. */}
        <h2 className="sr-only">Conversation</h2>
        <div ref={scroller} className="transcript-scroll" tabIndex={0} role="region" aria-label={name}>
          <div ref={content} className="transcript-content">
            {items.length === 0 && !busy ? (
              <div className="transcript-empty">{empty}</div>
            ) : (
              <Virtualizer
                ref={list}
                scrollRef={scroller}
                startMargin={PADDING_TOP}
                data={items}
                // Older rows in front: keep the position relative to the end for this render; the store changes nothing
                // else with it.
                shift={owner.isPrepended(items)}
                bufferSize={500}
                {...(sizes && { cache: sizes })}
                onScroll={() => owner.onScrolled()}
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
    </OpenLinkContext>
  )
}

/** Only the beginning of a longer answer is announced; the rest is in the transcript. */
const SPOKEN_CHARS = 600
/** How much of its Markdown is read for that. */
const MARKDOWN_CHARS = 5000

/** Announces answers to screen readers when they are finished, not chunk by chunk. */
function Announcer({ items }: { items: readonly TranscriptItem[] }) {
  const [announcement, setAnnouncement] = useState('')
  const last = useRef<string>(undefined)
  useEffect(() => {
    const found = newest(items)
    // Rows from before the session was opened are not announced.
    if (last.current === undefined) last.current = found?.id ?? ''
    if (!found || found.id === last.current) return
    last.current = found.id
    void found.text().then((text) => last.current === found.id && setAnnouncement(text))
  }, [items])
  return (
    <div className="sr-only" aria-live="polite">
      {announcement}
    </div>
  )
}

function newest(items: readonly TranscriptItem[]): { id: string; text: () => Promise<string> } | undefined {
  for (let n = items.length - 1; n >= Math.max(0, items.length - 50); n -= 1) {
    const item = items[n]
    if (item?.kind === 'end')
      return {
        id: item.id,
        text: async () =>
          item.failure ? `The turn failed: ${item.failure.title}. ${item.failure.advice}` : 'The turn ended.',
      }
    if (item?.kind !== 'answer' || item.streaming) continue
    const text = item.segments
      .map((segment) => (segment.type === 'text' ? segment.text : ''))
      .join(' ')
      .trim()
    if (text !== '') return { id: item.id, text: () => spokenBeginning(text) }
  }
  return undefined
}

/** The beginning of an answer as plain text: a screen reader would read the marks of Markdown aloud. */
async function spokenBeginning(answer: string): Promise<string> {
  const source = answer.slice(0, MARKDOWN_CHARS)
  const text = await import('./spoken-text').then(
    ({ spokenText }) => spokenText(source),
    // The code cannot be loaded without a connection.
    () => source,
  )
  return text.length > SPOKEN_CHARS || answer.length > MARKDOWN_CHARS
    ? `${text.slice(0, SPOKEN_CHARS)} … The rest is in the transcript.`
    : text
}

const SUGGESTIONS = [
  'Give me a tour of this project',
  'Run the tests and tell me what fails',
  'Find a small bug and propose a fix',
  'What changed recently?',
]

interface EmptyConversationProps {
  /** The greeting of the session's agent. */
  greeting: string | undefined
  /** The model is the demo. */
  scripted: boolean
  onSuggest: (text: string) => void
}

/** An empty session: suggested prompts. They fill the composer; nothing is sent. */
export function EmptyConversation({ greeting, scripted, onSuggest }: EmptyConversationProps) {
  return (
    <div className="flex max-w-[460px] flex-col items-center gap-4 text-center">
      <div>
        <h2 className="text-lead font-semibold">What would you like to do?</h2>
        <p className="mt-1 text-ui text-ink-2">
          {scripted
            ? 'The demo follows a script, without an AI model. Whatever you type, it makes an edit, ' +
              'runs a command and keeps a to-do list in this folder, and asks before each change.'
            : greeting !== undefined
              ? greeting
              : 'The agent reads, edits and runs code in this folder. It asks before risky steps.'}
        </p>
      </div>
      <div className="flex flex-wrap justify-center gap-2">
        {SUGGESTIONS.map((text) => (
          <Button key={text} size="small" onClick={() => onSuggest(text)}>
            {text}
          </Button>
        ))}
      </div>
    </div>
  )
}
