import { useCallback, useState } from 'react'
import { toolLabel } from '../../../../shared/tool-label'
import type { SessionView } from '../../../../shared/events/session-view'
import { activityText, latestTurn, type LatestTurn } from '../../../../shared/events/turn-activity'
import { useHasAgentRequests } from '../../../state/inbox-state'
import { cx } from '../../../ui/cx'
import { answerTask, useWaitingTask } from '../../../state/tasks/tasks-state'
import { useNowEachSecond, formatElapsed } from '../../../ui/content/elapsed'
import { Button } from '../../../ui/button'
import { ToolIcon } from '../tools/tool-row'

/** Maximum number of chips; the others are only counted. */
const CHIPS = 4
/** Shown in turn while the only known state is that the turn continues. */
const WAITING_TEXTS = ['Thinking…', 'Working…', 'Brewing…']
const WORD_MS = 3000

interface WaitingRowProps {
  view: SessionView
  /** When the engine last reported anything, on this machine's clock. */
  aliveAt: number
}

/** While a turn runs: its activity, the running calls, the elapsed time, and how long the model has been silent. */
export function WaitingRow({ view, aliveAt }: WaitingRowProps) {
  const now = useNowEachSecond()
  const asking = useWaitingTask(view.header.sessionId)
  const agentAsks = useHasAgentRequests(view.header.sessionId)
  const turn = latestTurn(view.items, view.header.approvals.length > 0 || asking !== undefined || agentAsks)
  const { activity, answer, startedAt } = turn
  const running = turn.calls.filter(({ state }) => state === 'running')
  const waits = activity.kind === 'you'
  const retry = activity.kind === 'retry' ? activity.retry : undefined
  // Silence is shown only while waiting for the model.
  const isModels =
    activity.kind === 'model' || activity.kind === 'thinking' || activity.kind === 'text' || activity.kind === 'call'
  const silent = isModels ? Math.max(0, Math.floor((now - aliveAt) / 1000)) : 0
  return (
    <div className="waiting" role="status" aria-label={retry ? 'Retrying' : activityText(turn)}>
      <span aria-hidden className="waiting-word" data-waits={waits || undefined}>
        <span className={cx('pulse-dot block size-2 flex-none rounded-full', waits ? 'bg-wait' : 'bg-run')} />
        {retry ? <span>{retryWord(retry.until, now)}</span> : <CrossfadeText text={wordNow(turn, now)} />}
      </span>
      {asking && (
        <>
          <span className="waiting-ask">{asking.prompt?.text || 'a command is waiting for input'}</span>
          <Button size="small" onClick={() => answerTask(asking)}>
            Answer
          </Button>
        </>
      )}
      {retry && (
        <span className="waiting-retry">
          attempt {retry.attempt} of {retry.of}: {retry.failure.title}
        </span>
      )}
      {!waits && answer && !retry && answer.attempts.length > 0 && (
        <span className="waiting-detail">attempt {answer.attempts.length + 1}</span>
      )}
      {running.slice(0, CHIPS).map((tool) => (
        <span key={tool.id} className="waiting-chip" title={tool.name}>
          <ToolIcon name={tool.name} />
          {toolLabel(tool.name)}
        </span>
      ))}
      {running.length > CHIPS && <span className="waiting-detail">and {running.length - CHIPS} more</span>}
      <span aria-hidden className="waiting-detail tabular-nums">
        {startedAt !== undefined && now - startedAt >= 1000 && formatElapsed(Math.floor((now - startedAt) / 1000))}
        {silent >= 2 && (
          <span className={silent >= 60 ? 'text-wait-ink' : undefined}>
            {startedAt !== undefined && ' · '}no output for {formatElapsed(silent)}
          </span>
        )}
      </span>
    </div>
  )
}

function wordNow(turn: LatestTurn, now: number): string {
  return turn.activity.kind === 'between'
    ? (WAITING_TEXTS[Math.floor(now / WORD_MS) % WAITING_TEXTS.length] ?? '')
    : activityText(turn)
}

function retryWord(until: number, now: number): string {
  const seconds = Math.ceil((until - now) / 1000)
  return seconds > 0 ? `Retrying in ${formatElapsed(seconds)}` : 'Retrying'
}

/** A few words that cross-fade into the next ones, while the surrounding text moves along. */
function CrossfadeText({ text, className }: { text: string; className?: string }) {
  const [width, setWidth] = useState<number>()
  const [shown, setShown] = useState<{ text: string; before: string | undefined }>({ text, before: undefined })
  if (shown.text !== text) setShown({ text, before: shown.text })
  // The width also changes when the font loads or its size changes.
  const measure = useCallback((words: HTMLSpanElement) => {
    const observer = new ResizeObserver(() => setWidth(words.offsetWidth))
    observer.observe(words)
    return () => observer.disconnect()
  }, [])
  return (
    <span className={`crossfade ${className ?? ''}`} style={{ width }}>
      <span ref={measure} key={text} className="crossfade-now">
        {text}
      </span>
      {shown.before !== undefined && (
        <span
          key={`before ${shown.before}`}
          aria-hidden
          className="crossfade-before"
          onAnimationEnd={() => setShown((latest) => ({ ...latest, before: undefined }))}
        >
          {shown.before}
        </span>
      )}
    </span>
  )
}
