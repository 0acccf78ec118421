import { useEffect, useState } from 'react'
import { toolLabel } from '../../../../shared/model/tool-label'
import type { SessionView } from '../../../../shared/model/view'
import type { AnswerItem, ToolItem, TranscriptItem } from '../../../../shared/model/transcript-item'
import { cx } from '../../../ui/cx'
import { answerTask } from '../../../state/answer-task'
import { useWaitingTask } from '../../../state/tasks-state'
import { useSecond } from '../../../state/use-second'
import { Button } from '../../../ui/button'
import { clock } from '../tools/elapsed'

const WORDS = ['Working', 'Thinking it over', 'Looking closer', 'Piecing it together', 'Checking', 'Weighing options', 'Reading along']
const WORD_MS = 3000
/** Chips beyond these are counted. */
const CHIPS = 4

interface WaitingRowProps {
  view: SessionView
  /** When the engine last said anything, on this machine's clock. */
  aliveAt: number
}

/** While a turn runs: that it does, what runs, for how long, and when it last gave a sign of life. */
export function WaitingRow({ view, aliveAt }: WaitingRowProps) {
  const now = useSecond()
  const word = useWord()
  const { answer, running, startedAt } = latestTurn(view.items)
  const asking = useWaitingTask(view.header.sessionId)
  const waits = view.header.approvals.length > 0 || asking !== undefined
  const retry = answer?.retry
  const silent = Math.max(0, Math.floor((now - aliveAt) / 1000))
  return (
    <div className="waiting" role="status" aria-label={waits ? 'Waiting for you' : 'Working'}>
      <span aria-hidden className={cx('pulse-dot block size-2 flex-none rounded-full', waits ? 'bg-wait' : 'bg-run')} />
      <span className="waiting-word" aria-hidden>
        {waits ? 'Waiting for you' : retry ? retryWord(retry.until, now) : word}
      </span>
      {asking && (
        <>
          <span className="waiting-ask">{asking.prompt?.text || 'a command reads from its terminal'}</span>
          <Button size="small" onClick={() => answerTask(asking)}>
            Answer
          </Button>
        </>
      )}
      {retry && !waits && (
        <span className="waiting-retry">
          attempt {retry.attempt} of {retry.of}: {retry.failure.title}
        </span>
      )}
      {!waits && answer && !retry && answer.attempts.length > 0 && (
        <span className="waiting-detail">attempt {answer.attempts.length + 1}</span>
      )}
      {running.slice(0, CHIPS).map((tool) => (
        <span key={tool.id} className="waiting-chip" title={tool.name}>
          {toolLabel(tool.name)}
        </span>
      ))}
      {running.length > CHIPS && <span className="waiting-detail">and {running.length - CHIPS} more</span>}
      <span aria-hidden className="waiting-detail tabular-nums">
        {startedAt !== undefined && now - startedAt >= 1000 && clock(Math.floor((now - startedAt) / 1000))}
        {silent >= 2 && (
          <span className={silent >= 60 && !waits ? 'text-wait-ink' : undefined}>
            {startedAt !== undefined && ' · '}last sign of life {clock(silent)} ago
          </span>
        )}
      </span>
    </div>
  )
}

function retryWord(until: number, now: number): string {
  const seconds = Math.ceil((until - now) / 1000)
  return seconds > 0 ? `Next try in ${clock(seconds)}` : 'Trying again'
}

function useWord(): string {
  const [n, setN] = useState(0)
  useEffect(() => {
    const timer = setInterval(() => setN((before) => before + 1), WORD_MS)
    return () => clearInterval(timer)
  }, [])
  return WORDS[n % WORDS.length] ?? 'Working'
}

function latestTurn(items: readonly TranscriptItem[]): {
  answer: AnswerItem | undefined
  running: ToolItem[]
  startedAt: number | undefined
} {
  const running: ToolItem[] = []
  let answer: AnswerItem | undefined
  for (let n = items.length - 1; n >= 0; n -= 1) {
    const item = items[n]
    if (item?.kind === 'tool' && (item.state === 'running' || item.state === 'drafting')) running.unshift(item)
    if (item?.kind === 'answer' && item.streaming) answer ??= item
    if ((item?.kind === 'user' || item?.kind === 'news') && !item.steered) return { answer, running, startedAt: item.at }
  }
  return { answer, running, startedAt: undefined }
}
