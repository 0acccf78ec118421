import './inbox.css'
import { Inbox } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode } from 'react'
import type { Approval, InboxEntry } from '../../../shared/model/approval/approval'
import { toolLabel } from '../../../shared/tool-label'
import { useInbox, entryKey } from '../../state/inbox-state'
import { useLayout } from '../../state/page/layout-state'
import { useKeyDown } from '../../state/page/escape'
import { Button } from '../../ui/button'
import { EmptyState } from '../../ui/notice'
import { Skeleton } from '../../ui/loading'
import { AllowAllDialog } from './allow-all-dialog'
import { answerable, firstRows, MAX_TOGETHER, useInboxSelection } from './inbox-selection'
import { InboxEntryView, InboxRow } from './inbox-row'
import { SettledNote, useSettledElsewhere } from './settled-note'

/** Props for the card of a request besides the request. */
export interface InboxCard {
  entry: InboxEntry
  approval: Approval
  /** Changes when the card moves. */
  place: string
  /** Why it cannot be answered from here. */
  blocked: string | undefined
  onAnswered: () => void
}

interface InboxPageProps {
  connected: boolean
  userHome: string | undefined
  renderCard: (card: InboxCard) => ReactNode
  /** `onSeen`: its end has been in view. */
  renderPreview: (approval: Approval, onSeen: () => void) => ReactNode
}

/** Number of rows rendered. */
const MAX_ROWS = 60

/** All pending requests of all sessions: first in first out, one expanded at a time, answered in place. */
export function InboxPage(props: InboxPageProps) {
  const loaded = useInbox((state) => state.loaded)
  return loaded ? <InboxList {...props} /> : <Loading />
}

function InboxList({ connected, userHome, renderCard, renderPreview }: InboxPageProps) {
  const entries = useInbox((state) => state.entries)
  const place = useInboxSelection(entries)
  const settled = useSettledElsewhere(entries, place.wasAnswered)
  const [together, setTogether] = useState<string>()
  const root = useRef<HTMLDivElement>(null)
  const openKey = place.open && entryKey(place.open)
  const rows = place.groups.flatMap((group) => group.entries)
  const groups = firstRows(place.groups, MAX_ROWS, (entry) => entryKey(entry) === openKey)
  const hidden = rows.length - groups.reduce((sum, group) => sum + group.entries.length, 0)

  // The page starts at its first request, and keyboard navigation keeps the open one in view.
  const shown = useRef<string>(undefined)
  useEffect(() => {
    if (openKey === undefined || shown.current === openKey) return
    const isFirst = shown.current === undefined
    shown.current = openKey
    const focus = document.activeElement
    if (!isFirst && focus !== null && focus !== document.body && !root.current?.contains(focus)) return
    const line = [...(root.current?.querySelectorAll<HTMLElement>('[data-entry]') ?? [])].find(
      (one) => one.dataset['entry'] === openKey,
    )
    line?.focus({ preventScroll: true })
    line?.closest('.inbox-row')?.scrollIntoView({ block: 'nearest' })
  }, [openKey])

  useKeyDown(root, (event) => {
    if (event.defaultPrevented || event.altKey || event.ctrlKey || event.metaKey) return
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (
      (step !== 1 && step !== -1) ||
      !(event.target instanceof Element) ||
      !event.target.matches('[data-entry], .inbox-scroll')
    )
      return
    event.preventDefault()
    place.step(step)
  })

  return (
    <div ref={root} className="inbox-scroll min-h-0 flex-1 overflow-y-auto outline-none" tabIndex={-1}>
      <div className="inbox">
        <p className="sr-only" role="status">
          {entries.length === 0
            ? 'No pending requests.'
            : `${entries.length} pending ${entries.length === 1 ? 'request' : 'requests'}.`}
        </p>
        {rows.length === 0 && (
          <EmptyState icon={<Inbox aria-hidden />} title="No pending requests">
            Requests from all your sessions appear here.
          </EmptyState>
        )}
        <ol aria-label="Requests">
          {groups.map(({ group, entries: alike }) => {
            const together = answerable(alike).length
            return (
              <li key={group} className="inbox-group" data-alike={alike.length > 1 || undefined}>
                {alike.length > 1 && alike[0] && (
                  <div className="inbox-alike">
                    <span>
                      {alike.length} similar: <b className="font-semibold">{toolLabel(alike[0].tool)}</b>,{' '}
                      {alike[0].reason}
                    </span>
                    {together > 1 && (
                      <Button size="small" disabled={!connected} onClick={() => setTogether(group)}>
                        {together > MAX_TOGETHER
                          ? `Allow the first ${MAX_TOGETHER} similar…`
                          : `Allow all ${together} similar…`}
                      </Button>
                    )}
                  </div>
                )}
                <ol className="inbox-rows" aria-label={alike.length > 1 ? 'Similar requests' : 'Request'}>
                  {alike.map((entry) => {
                    const key = entryKey(entry)
                    const open = key === openKey
                    return (
                      <li key={key}>
                        <InboxRow
                          entry={entry}
                          open={open}
                          userHome={userHome}
                          onToggle={() => (open ? place.close() : place.show(entry))}
                          onOpenSession={() => useLayout.getState().openSession(entry.sessionId)}
                        >
                          {open && place.gone ? (
                            <Gone entry={entry} isLast={rows.length === 1} onNext={place.moveOn} />
                          ) : (
                            <InboxEntryView
                              entry={entry}
                              renderCard={(approval) =>
                                renderCard({
                                  entry,
                                  approval,
                                  place: positionText(groups, key),
                                  blocked: blockedBy(entry, connected),
                                  onAnswered: () => place.onAnswered(entry),
                                })
                              }
                            />
                          )}
                        </InboxRow>
                      </li>
                    )
                  })}
                </ol>
              </li>
            )
          })}
        </ol>
        {hidden > 0 && <p className="inbox-more">{hidden} more pending. They appear here as you answer.</p>}
        <Lately entries={settled.filter((entry) => entryKey(entry) !== openKey)} />
      </div>
      {together !== undefined && (
        <AllowAllDialog
          group={together}
          entries={entries}
          userHome={userHome}
          renderPreview={renderPreview}
          onAnswered={place.onAnswered}
          onClose={() => setTogether(undefined)}
        />
      )}
    </div>
  )
}

/** The content above a card: when it changes, the card has moved. */
function positionText(groups: readonly { entries: readonly InboxEntry[] }[], key: string): string {
  const above: string[] = []
  for (const { entries } of groups) {
    if (entries.length > 1) above.push('alike')
    for (const entry of entries) {
      if (entryKey(entry) === key) return above.join(' ')
      above.push(entryKey(entry))
    }
  }
  return above.join(' ')
}

function blockedBy(entry: InboxEntry, connected: boolean): string | undefined {
  if (!connected) return 'Not connected.'
  return entry.elsewhere === undefined ? undefined : 'Answer it in the other Trestle window.'
}

/** Replaces the open request after it was answered elsewhere; no other request replaces it until the user moves on. */
function Gone({ entry, isLast, onNext }: { entry: InboxEntry; isLast: boolean; onNext: () => void }) {
  return (
    <div className="inbox-gone" role="status">
      <span>
        <b className="font-semibold text-ink">{toolLabel(entry.tool)}</b> <code>{entry.summary}</code>
        <br />
        <SettledNote entry={entry} />
      </span>
      <Button onClick={onNext}>{isLast ? 'Close' : 'Next'}</Button>
    </div>
  )
}

function Lately({ entries }: { entries: readonly InboxEntry[] }) {
  return (
    <div role="status">
      {entries.length > 0 && (
        <ul className="inbox-lately" aria-label="Recently answered">
          {entries.map((entry) => (
            <li key={entryKey(entry)}>
              <span className="flex-none">{toolLabel(entry.tool)}</span>
              <code>{entry.summary}</code>
              <SettledNote entry={entry} />
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function Loading() {
  return (
    <div className="inbox space-y-3" role="status" aria-busy>
      <span className="sr-only">Loading the inbox</span>
      <Skeleton className="h-5 w-3/5" />
      <Skeleton className="h-24 w-full rounded-lg" />
      <Skeleton className="h-5 w-2/5" />
    </div>
  )
}
