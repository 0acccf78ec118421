import { ChevronRight } from 'lucide-react'
import { memo, type ComponentProps } from 'react'
import type { Task } from '../../../../shared/model/task'
import { doneLabel, toolLabel } from '../../../../shared/model/tool-label'
import type { ToolItem } from '../../../../shared/model/transcript-item'
import { useWaitingAgent } from '../../../state/agent-requests'
import { cx } from '../../../ui/cx'
import { Dot } from '../../../ui/dot'
import { SandboxWord } from '../../../ui/sandbox-word'
import { BackgroundOutcome } from './background-task'
import { Elapsed } from './elapsed'
import { FailureTail } from './failure-tail'
import { OpenFileOf } from './open-file-of'
import { LiveCommand, useLiveCommand } from './live-command'
import { Subagent, SubagentOutcome, useSubagent } from './subagent'
import { ToolDetailsView } from './tool-details'
import { ToolIcon } from './tool-icon'
import { toolOutcome } from './tool-outcome'
import { commandPurpose, toolSummary } from './tool-summary'
import './tools.css'

interface ToolRowProps {
  item: ToolItem
  open: boolean
  onToggle: (id: string) => void
}

const TONES = { plain: 'text-ink-3', wait: 'text-wait-ink', run: 'text-run-ink', fail: 'text-fail-ink' }

/** One call: a calm row that opens to what was done. */
export const ToolRow = memo(function ToolRow({ item, open, onToggle }: ToolRowProps) {
  const outcome = toolOutcome(item)
  const summary = toolSummary(item)
  const purpose = commandPurpose(item)
  const canOpen = item.state !== 'drafting'
  const detailsId = `details-${item.id}`
  const live = useLiveCommand(item, open)
  const subagent = useSubagent(item)
  const agentWaits = useWaitingAgent(item.agent?.agentId)
  const sandbox = sandboxOf(item, live.task)
  const asks = item.questions?.some(({ outcome }) => outcome === undefined) ?? false
  const waits = live.task?.prompt !== undefined || agentWaits || asks
  // What a subagent is at is seen while it works.
  const shown = open || live.shown || subagent?.status === 'running'
  return (
    <div className="tool" data-state={item.state} data-call={item.callId}>
      <OpenFileOf item={item} />
      <button
        type="button"
        className="tool-row"
        aria-expanded={canOpen ? shown : undefined}
        aria-controls={shown ? detailsId : undefined}
        disabled={!canOpen}
        onClick={() => {
          if (open) live.hide()
          onToggle(item.id)
        }}
      >
        <ToolIcon name={item.name} />
        <b title={item.name}>{item.state === 'done' ? doneLabel(item.name) : toolLabel(item.name)}</b>
        {purpose !== undefined && (
          <span className="tool-purpose" title={purpose}>
            {purpose}
          </span>
        )}
        <span className="tool-summary" title={summary} data-below={purpose !== undefined || undefined}>
          {summary}
        </span>
        {sandbox && <SandboxWord sandbox={sandbox} />}
        <span className={cx('tool-outcome', TONES[waits ? 'wait' : outcome.tone])}>
          {item.state === 'running' && !subagent && <Dot status={waits ? 'waiting' : 'running'} silent className="pulse-dot" />}
          {item.state === 'waiting' && <Dot status="waiting" silent />}
          {outcome.lines && (
            <>
              <span className="text-add-ink">+{outcome.lines.added}</span> <span className="text-del-ink">−{outcome.lines.removed}</span>
            </>
          )}
          {subagent && (subagent.background || subagent.status === 'running') ? (
            <SubagentOutcome task={subagent} />
          ) : item.details?.kind === 'task' && item.details.started ? (
            <BackgroundOutcome task={item.details.task} />
          ) : waits ? (
            'waiting for you'
          ) : (
            outcome.text
          )}
          {item.state === 'running' && <Elapsed since={item.at} />}
        </span>
        <ChevronRight aria-hidden className="tool-chevron" />
      </button>
      {!shown && <FailureTail item={item} />}
      {shown && canOpen && (
        <div id={detailsId} className="tool-details">
          {live.task ? (
            <LiveCommand taskId={live.task.taskId} />
          ) : subagent && !open ? (
            <Subagent item={item} />
          ) : (
            <ToolDetailsView item={item} />
          )}
        </div>
      )}
    </div>
  )
})

/** Where a command runs or ran: as recorded with its result, else as its task or the decision about it says. */
function sandboxOf(
  { name, details, judged, state }: ToolItem,
  task: Task | undefined,
): ComponentProps<typeof SandboxWord>['sandbox'] | undefined {
  if (name !== 'Bash') return undefined
  const recorded = details?.kind === 'output' ? details.sandbox : details?.kind === 'task' ? details.task.sandbox : task?.sandbox
  if (recorded) return recorded
  return judged?.sandbox !== undefined && state === 'running' ? { level: judged.sandbox } : undefined
}
