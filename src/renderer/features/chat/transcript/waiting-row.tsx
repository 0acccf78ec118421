import { toolLabel } from '../../../../shared/model/tool-label'
import type { SessionView } from '../../../../shared/model/view'
import { activityWords, latestTurn, type LatestTurn } from '../../../../shared/model/turn-activity'
import { useHasAgentRequests } from '../../../state/agent-requests'
import { cx } from '../../../ui/cx'
import { answerTask } from '../../../state/answer-task'
import { useWaitingTask } from '../../../state/tasks-state'
import { useSecond } from '../../../state/use-second'
import { Button } from '../../../ui/button'
import { clock } from '../tools/elapsed'
import { ToolIcon } from '../tools/tool-icon'
import { CrossfadeText } from './crossfade-text'

/** Chips beyond these are counted. */
const CHIPS = 4
/** Said in turn while nothing more is known than that the turn goes on. */
const WORDS = ['Thinking…', 'Working…', 'Brewing…']
const WORD_MS = 3000

interface WaitingRowProps {
  view: SessionView
  /** When the engine last said anything, on this machine's clock. */
  aliveAt: number
}

/** While a turn runs: what it is at, the calls that run, for how long, and how long the model has been silent. */
export function WaitingRow({ view, aliveAt }: WaitingRowProps) {
  const now = useSecond()
  const asking = useWaitingTask(view.header.sessionId)
  const agentAsks = useHasAgentRequests(view.header.sessionId)
  const turn = latestTurn(view.items, view.header.approvals.length > 0 || asking !== undefined || agentAsks)
  const { activity, answer, startedAt } = turn
  const running = turn.calls.filter(({ state }) => state === 'running')
  const waits = activity.kind === 'you'
  const retry = activity.kind === 'retry' ? activity.retry : undefined
  // Silence is worth a word only while the model is waited for.
  const isModels = activity.kind === 'model' || activity.kind === 'thinking' || activity.kind === 'text' || activity.kind === 'call'
  const silent = isModels ? Math.max(0, Math.floor((now - aliveAt) / 1000)) : 0
  return (
    <div className="waiting" role="status" aria-label={retry ? 'Retrying' : activityWords(turn)}>
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
        {startedAt !== undefined && now - startedAt >= 1000 && clock(Math.floor((now - startedAt) / 1000))}
        {silent >= 2 && (
          <span className={silent >= 60 ? 'text-wait-ink' : undefined}>
            {startedAt !== undefined && ' · '}no output for {clock(silent)}
          </span>
        )}
      </span>
    </div>
  )
}

function wordNow(turn: LatestTurn, now: number): string {
  return turn.activity.kind === 'between' ? (WORDS[Math.floor(now / WORD_MS) % WORDS.length] ?? '') : activityWords(turn)
}

function retryWord(until: number, now: number): string {
  const seconds = Math.ceil((until - now) / 1000)
  return seconds > 0 ? `Retrying in ${clock(seconds)}` : 'Retrying'
}
