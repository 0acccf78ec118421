import { onTestFinished } from 'vitest'
import type { Approval } from '../../src/shared/model/approval/approval'
import type { McpLab } from './mcp-lab'

/** A user who answers the servers' requests with `answer`; records what was asked. */
export function person(
  lab: McpLab,
  sessionId: string,
  answer: (asked: Approval) => { optionId: string; values?: Record<string, string | boolean> },
): Approval[] {
  const seen: Approval[] = []
  const look = (): void => {
    for (const asked of lab.engine.sessions.header(sessionId).approvals) {
      if (seen.some(({ approvalId }) => approvalId === asked.approvalId)) continue
      seen.push(asked)
      void lab.engine.sessions.reply(sessionId, { approvalId: asked.approvalId, ...answer(asked) })
    }
  }
  onTestFinished(lab.engine.onChange(({ kind }) => kind === 'inbox' && look()))
  return seen
}
