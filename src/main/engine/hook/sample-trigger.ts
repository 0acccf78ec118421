import { join } from 'node:path'
import type { HookEvent } from '../../../shared/configuration/customize/customizations'
import type { Hook } from '../config/agent-settings/hook-settings'
import type { HookTrigger } from './hook-runner'

/** The session id in sample input. */
const SAMPLE_SESSION = 'sample-session'

/** The input of a hook that the user tests: an example of its event in this folder. */
export function sampleTrigger({ event }: Pick<Hook, 'event'>, folder: string): HookTrigger {
  const { subject, payload } = sampleOf(event, folder)
  return { event, sessionId: SAMPLE_SESSION, folder, subject, payload }
}

function sampleOf(event: HookEvent, folder: string): { subject: string; payload: Record<string, unknown> } {
  const path = join(folder, 'sample.txt')
  const turn = { turn_id: 'sample-turn' }
  const call = { ...turn, tool_name: 'Bash', tool_call_id: 'sample-call', tool_input: { command: 'ls' }, summary: 'ls' }
  const result = { tool_result: { text: 'sample.txt', is_error: false }, duration_ms: 12 }
  const agent = { agent_type: 'explore', status: 'completed', description: 'A sample task' }
  const task = { task_id: 'sample-task', command: 'npm test', status: 'completed', exit_code: 0 }
  const samples: Record<HookEvent, [subject: string, payload: Record<string, unknown>]> = {
    SessionStart: ['new', { source: 'new' }],
    SessionEnd: ['closed', { reason: 'closed' }],
    UserPromptSubmit: ['A sample prompt', { prompt: 'A sample prompt' }],
    PreToolUse: ['Bash', call],
    PostToolUse: ['Bash', { ...call, ...result }],
    beforeWriteFile: ['sample.txt', { ...turn, path, content: 'A sample text\n', exists: false }],
    afterWriteFile: ['sample.txt', { ...turn, path, tool_call_id: 'sample-call' }],
    Stop: ['end_turn', { ...turn, answer: 'Done.', stop_hook_active: false }],
    SubagentStop: ['explore', agent],
    TaskFinished: ['completed', task],
    PreCompact: ['manual', { reason: 'manual', tokens: 100_000 }],
    Notification: ['approval', { type: 'approval', title: 'A sample notification', message: 'npm test' }],
  }
  const [subject, payload] = samples[event]
  return { subject, payload }
}
