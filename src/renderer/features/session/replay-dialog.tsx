import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { ChevronFirst, ChevronLast, ChevronLeft, ChevronRight, ChevronsLeft, ChevronsRight } from 'lucide-react'
import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { ReplayFile, ReplayOverview, ReplayStep } from '../../../shared/model/session/history'
import { useClient } from '../../state/page/queries'
import { IconButton } from '../../ui/button'
import { DiffView } from '../../ui/code/diff-view'
import { Dialog } from '../../ui/overlay/dialog'
import { Skeleton } from '../../ui/loading'
import { formatMoment } from '../../../shared/language/speak'
import { LoadError } from '../../ui/load-error'

/** Events per request. */
const PAGE = 10

export interface ReplayDialogProps {
  sessionId: string
  title: string
  /** The event to start with. */
  from?: number
  onClose: () => void
}

/** A session event by event, with the file changes of each. */
export function ReplayDialog({ sessionId, title, from = 1, onClose }: ReplayDialogProps) {
  const client = useClient()
  const query = useQuery({
    queryKey: ['replay', sessionId],
    queryFn: () => client.history.replay({ sessionId }),
    gcTime: 0,
    retry: false,
  })
  const { data, error } = query
  return (
    <Dialog
      open
      onOpenChange={(open) => !open && onClose()}
      title="Replay"
      description={title}
      width={920}
      className="h-[min(760px,calc(100dvh-32px))]"
    >
      {error ? (
        <LoadError query={query} />
      ) : data ? (
        <Player overview={data} from={from} />
      ) : (
        <Skeleton className="h-24 w-full rounded-lg" />
      )}
    </Dialog>
  )
}

function Player({ overview, from }: { overview: ReplayOverview; from: number }) {
  const { sessionId, total, turns } = overview
  const client = useClient()
  const [seq, setSeq] = useState(Math.min(from, total))
  const slider = useRef<HTMLInputElement>(null)
  // The dialog was empty when it opened; now the slider can take the focus.
  useEffect(() => slider.current?.focus(), [])
  const start = Math.floor((seq - 1) / PAGE) * PAGE + 1
  const query = useQuery({
    queryKey: ['replay', sessionId, start],
    queryFn: () => client.history.steps({ sessionId, from: start, limit: PAGE }),
    placeholderData: keepPreviousData,
    staleTime: Infinity,
    gcTime: 60_000,
    retry: false,
  })
  const { data, error } = query
  const step = data?.find((one) => one.seq === seq)
  const goTo = (to: number): void => setSeq(Math.min(total, Math.max(1, to)))
  const toNextTurn = (): void => goTo(turns.find((turn) => turn.seq > seq)?.seq ?? total)
  const toPreviousTurn = (): void => goTo(turns.findLast((turn) => turn.seq < seq)?.seq ?? 1)
  const onKeyDown = (event: KeyboardEvent): void => {
    const isSlider = event.target instanceof HTMLInputElement
    const go = keyTarget(event.key, isSlider, seq, total)
    if (event.key === ']') toNextTurn()
    else if (event.key === '[') toPreviousTurn()
    else if (go !== undefined) goTo(go)
    else return
    event.preventDefault()
  }
  return (
    // Handles key presses that bubble up from the slider and the buttons.
    // oxlint-disable-next-line jsx-a11y/no-static-element-interactions
    <div className="flex h-full min-h-0 flex-col gap-3" onKeyDown={onKeyDown}>
      <div className="flex flex-none flex-wrap items-center gap-x-1 gap-y-2">
        <IconButton label="First event" disabled={seq === 1} onClick={() => goTo(1)}>
          <ChevronFirst aria-hidden />
        </IconButton>
        <IconButton label="Previous turn" kbd="[" disabled={seq === 1} onClick={toPreviousTurn}>
          <ChevronsLeft aria-hidden />
        </IconButton>
        <IconButton label="Back" kbd="Left" disabled={seq === 1} onClick={() => goTo(seq - 1)}>
          <ChevronLeft aria-hidden />
        </IconButton>
        <input
          ref={slider}
          type="range"
          aria-label="Event"
          aria-valuetext={`Event ${seq} of ${total}`}
          min={1}
          max={total}
          value={seq}
          onChange={(event) => goTo(Number(event.target.value))}
          className="h-[29px] min-w-32 flex-1 accent-(--accent)"
        />
        <IconButton label="Next" kbd="Right" disabled={seq === total} onClick={() => goTo(seq + 1)}>
          <ChevronRight aria-hidden />
        </IconButton>
        <IconButton label="Next turn" kbd="]" disabled={seq === total} onClick={toNextTurn}>
          <ChevronsRight aria-hidden />
        </IconButton>
        <IconButton label="Last event" disabled={seq === total} onClick={() => goTo(total)}>
          <ChevronLast aria-hidden />
        </IconButton>
        <span className="w-full text-right text-small text-ink-3 tabular-nums sm:w-auto sm:pl-2">
          {seq.toLocaleString()} of {total.toLocaleString()}
        </span>
      </div>
      <div
        tabIndex={0}
        role="region"
        aria-label="Event"
        aria-busy={!step && !error}
        className="min-h-0 flex-1 overflow-y-auto rounded-lg border border-line bg-paper px-4 py-3"
      >
        {error ? <LoadError query={query} /> : step ? <StepView step={step} /> : <Skeleton className="w-2/5" />}
      </div>
    </div>
  )
}

/** Where a key goes. The slider handles its own keys. */
function keyTarget(key: string, isSlider: boolean, seq: number, total: number): number | undefined {
  if (isSlider) return undefined
  if (key === 'ArrowRight') return seq + 1
  if (key === 'ArrowLeft') return seq - 1
  if (key === 'Home') return 1
  if (key === 'End') return total
  return undefined
}

function StepView({ step: { seq, at, type, turn, title, text, files, moreFiles, hash } }: { step: ReplayStep }) {
  return (
    <article className="space-y-3">
      <header>
        <p className="text-small text-ink-3">
          Event {seq.toLocaleString()} · {turn === 0 ? 'before the first turn' : `turn ${turn}`} · {formatMoment(at)}
        </p>
        <h3 className="font-medium" aria-live="polite">
          {title}
        </h3>
      </header>
      {text !== '' && <pre className="font-sans text-ui whitespace-pre-wrap wrap-anywhere">{text}</pre>}
      {files.map((file) => (
        <FileView key={file.path} file={file} />
      ))}
      {moreFiles > 0 && (
        <p className="text-small text-ink-3">
          {moreFiles === 1 ? 'One more file was changed.' : `${moreFiles} more files were changed.`}
        </p>
      )}
      <p className="text-small wrap-anywhere text-ink-3">
        {type}
        {hash !== undefined && ` · ${hash}`}
      </p>
    </article>
  )
}

function FileView({ file: { path, action, diff, added, removed, note } }: { file: ReplayFile }) {
  return (
    <section aria-label={path} className="overflow-hidden rounded-lg border border-line bg-raised">
      <header className="flex flex-wrap items-baseline gap-x-2 border-b border-line px-3 py-1.5 text-small">
        <span className="font-mono wrap-anywhere">{path}</span>
        <span className="text-ink-3">{action}</span>
        {added !== undefined && removed !== undefined && (
          <span className="text-ink-3 tabular-nums">
            +{added} −{removed}
          </span>
        )}
      </header>
      {diff !== undefined && <DiffView diff={diff} path={path} />}
      {note !== undefined && <p className="px-3 py-2 text-small text-ink-3">{note}</p>}
    </section>
  )
}
