import { join } from 'node:path'
import type { HookEvent } from '../../../shared/configuration/customizations'
import type { Hook } from '../config/settings/hook-settings'
import type { HookTrigger } from './hook-runner'

/** The session that sample input names. */
const SAMPLE_SESSION = 'sample-session'

/** What a hook gets when the user tries it: an example of its event, in this folder. */
export function sampleTrigger({ event }: Pick<Hook, 'event'>, folder: string): HookTrigger {
  const { subject, payload } = sampleOf(event, folder)
  return { event, sessionId: SAMPLE_SESSION, folder, subject, payload }
}

function sampleOf(event: HookEvent, folder: string): { subject: string; payload: Record<string, unknown> } {
  const path = join(folder, 'sample.txt')
  const call = {
    turn_id: 'sample-turn',
    tool_name: 'Bash',
    tool_call_id: 'sample-call',
    tool_input: { command: 'ls' },
    summary: 'ls',
  }
  switch (event) {
    case 'SessionStart':
      return { subject: 'new', payload: { source: 'new' } }
    case 'SessionEnd':
      return { subject: 'closed', payload: { reason: 'closed' } }
    case 'UserPromptSubmit':
      return { subject: 'A sample prompt', payload: { prompt: 'A sample prompt' } }
    case 'PreToolUse':
      return { subject: 'Bash', payload: call }
    case 'PostToolUse':
      return {
        subject: 'Bash',
        payload: { ...call, tool_result: { text: 'sample.txt', is_error: false }, duration_ms: 12 },
      }
    case 'beforeWriteFile':
      return {
        subject: 'sample.txt',
        payload: { turn_id: 'sample-turn', path, content: 'A sample text\n', exists: false },
      }
    case 'afterWriteFile':
      return { subject: 'sample.txt', payload: { turn_id: 'sample-turn', path, tool_call_id: 'sample-call' } }
    case 'Stop':
      return { subject: 'end_turn', payload: { turn_id: 'sample-turn', answer: 'Done.', stop_hook_active: false } }
    case 'SubagentStop':
      return {
        subject: 'explore',
        payload: { agent_type: 'explore', status: 'completed', description: 'A sample task' },
      }
    case 'TaskFinished':
      return {
        subject: 'completed',
        payload: { task_id: 'sample-task', command: 'npm test', status: 'completed', exit_code: 0 },
      }
    case 'PreCompact':
      return { subject: 'manual', payload: { reason: 'manual', tokens: 100_000 } }
    case 'Notification':
      return { subject: 'approval', payload: { type: 'approval', title: 'A sample notification', message: 'npm test' } }
  }
}
