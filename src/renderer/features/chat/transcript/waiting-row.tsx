import { toolLabel } from '../../../../shared/model/tool-label'
import type { SessionView } from '../../../../shared/model/view'
import { activityWords, latestTurn } from '../../../../shared/model/turn-activity'
import { useHasAgentRequests } from '../../../state/agent-requests'
import { cx } from '../../../ui/cx'
import { answerTask } from '../../../state/answer-task'
import { useWaitingTask } from '../../../state/tasks-state'
import { useSecond } from '../../../state/use-second'
import { Button } from '../../../ui/button'
import { clock } from '../tools/elapsed'

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
  const asking = useWaitingTask(view.header.sessionId)
  const agentAsks = useHasAgentRequests(view.header.sessionId)
  const turn = latestTurn(view.items, view.header.approvals.length > 0 || asking !== undefined || agentAsks)
  const { activity, answer, calls, startedAt } = turn
  const waits = activity.kind === 'you'
  const retry = activity.kind === 'retry' ? activity.retry : undefined
  // Silence is worth a word only while the model is waited for.
  const isModels = activity.kind === 'model' || activity.kind === 'thinking' || activity.kind === 'text' || activity.kind === 'call'
  const silent = isModels ? Math.max(0, Math.floor((now - aliveAt) / 1000)) : 0
  return (
    <div className="waiting" role="status" aria-label={retry ? 'Trying again' : activityWords(turn)}>
      <span aria-hidden className={cx('pulse-dot block size-2 flex-none rounded-full', waits ? 'bg-wait' : 'bg-run')} />
      <span className="waiting-word" aria-hidden>
        {retry ? retryWord(retry.until, now) : activityWords(turn)}
      </span>
      {asking && (
        <>
          <span className="waiting-ask">{asking.prompt?.text || 'a command reads from its terminal'}</span>
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
      {calls.slice(0, CHIPS).map((tool) => (
        <span key={tool.id} className="waiting-chip" title={tool.name}>
          {toolLabel(tool.name)}
        </span>
      ))}
      {calls.length > CHIPS && <span className="waiting-detail">and {calls.length - CHIPS} more</span>}
      <span aria-hidden className="waiting-detail tabular-nums">
        {startedAt !== undefined && now - startedAt >= 1000 && clock(Math.floor((now - startedAt) / 1000))}
        {silent >= 2 && (
          <span className={silent >= 60 ? 'text-wait-ink' : undefined}>
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
