import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SessionHeader } from '../../../shared/model/session/session'
import type { Task } from '../../../shared/model/task/task'
import type { Store } from '../store/store'

/** Activity of a running subagent, known only to the process that runs it. */
export interface AgentActivity {
  lastLine?: string
  /** How many calls it has made. */
  calls: number
}

/**
 * The work of a subagent as a task, for task lists and notifications. Undefined for a session that is not a subagent's.
 */
export function agentTask(header: SessionHeader, home: string, activity?: AgentActivity): Task | undefined {
  const { agent, sessionId, folder } = header
  if (!agent) return undefined
  const { status, endedAt, timeoutMs, reason } = agent
  return {
    taskId: sessionId,
    command: `Subagent ${agent.agentType}: ${agent.description}`,
    description: agent.description,
    cwd: folder,
    status,
    sessionId: agent.parentId,
    callId: agent.callId,
    folder,
    background: agent.background,
    startedAt: agent.startedAt,
    outputPath: answerPath(home, header.sessionId, agent.parentId),
    outputBytes: agent.answerBytes,
    agent: {
      type: agent.agentType,
      isQueued: status === 'running' && (agent.isQueued ?? false),
      ...(activity && { calls: activity.calls }),
    },
    ...(endedAt !== undefined && { endedAt }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(reason !== undefined && (status === 'stopped' ? { stopReason: reason } : { problem: reason })),
    ...(activity?.lastLine !== undefined && { lastLine: activity.lastLine }),
  }
}

/** The text of the last message with text in the latest turn; empty if it has none. */
export function lastMessage(store: Pick<Store, 'historyBackwards'>, sessionId: string): string {
  for (const event of store.historyBackwards(sessionId)) {
    if (event.type === 'turn.started') return ''
    if (event.type !== 'step.finished') continue
    const text = event.parts
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('')
      .trim()
    if (text !== '') return text
  }
  return ''
}

/** Saves the last message to a file, so that the parent can read all of it, however long it is. */
export async function saveAnswer(path: string, answer: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  await writeFile(path, answer, { mode: 0o600 })
}

export function answerPath(home: string, agentId: string, parentId: string): string {
  return join(home, 'sessions', parentId, 'agents', `${agentId}.md`)
}
