import { ArrowLeft, Bot, Square } from 'lucide-react'
import type { AgentState } from '../../../shared/model/agent'
import type { TaskStatus } from '../../../shared/model/task'
import { titleOf } from '../../state/ordered-sessions'
import { useLayout } from '../../state/layout-state'
import { useSessions } from '../../state/sessions-state'
import { useTaskActions } from '../../state/task-actions'
import { useTask } from '../../state/tasks-state'
import { Banner } from '../../ui/banner'
import { Button } from '../../ui/button'

const WORDS: Record<TaskStatus, string> = {
  running: 'working',
  completed: 'has answered',
  failed: 'has failed',
  stopped: 'was stopped',
  timed_out: 'timed out',
  lost: 'ended with Trestle',
}

/** Over the conversation of a subagent: whose it is, how it stands, the way back, and the end of it. */
export function AgentBar({ agentId, agent }: { agentId: string; agent: AgentState }) {
  const parent = useSessions((state) => state.sessions.get(agent.rootId))
  const task = useTask(agentId)
  const actions = useTaskActions()
  const runs = agent.status === 'running'
  const what = runs && agent.isQueued ? 'waiting for other subagents to finish' : WORDS[agent.status]
  return (
    <Banner
      tone="plain"
      icon={<Bot aria-hidden />}
      actions={
        <>
          {runs && task && (
            <Button size="small" variant="danger" icon={<Square aria-hidden />} onClick={() => actions.stop(task)}>
              Stop
            </Button>
          )}
          <Button size="small" icon={<ArrowLeft aria-hidden />} onClick={() => useLayout.getState().openSession(agent.parentId)}>
            Back to {agent.depth > 1 ? 'its agent' : 'the session'}
          </Button>
        </>
      }
    >
      Subagent <b>{agent.agentType}</b>
      {agent.readOnly && ', which may only read,'} of {parent ? `“${titleOf(parent)}”` : 'a session'}: {what}.
      {runs ? ' Messages you send here reach it at its next step.' : ' Its final message was sent to the main agent.'}
      {agent.reason !== undefined && ` ${agent.reason}`}
    </Banner>
  )
}
