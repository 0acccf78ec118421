import { sentence } from '../../../../shared/error-text'
import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { failureOf } from '../../../../shared/errors'
import type { AgentOutcome, AgentWork, SessionAgents, WorkingAgent } from '../session-services'
import { failed, ok, refuse, type Tool, type ToolResult } from '../tool'
import description from './agent.md?raw'

const DEFAULT_TYPE = 'coder'

const input = lazySchema(() =>
  z.strictObject({
    prompt: z.string().trim().min(1).describe('The whole task: the subagent does not see this conversation'),
    description: z.string().trim().min(1).max(200).describe('What it is to do, in 3 to 5 words'),
    subagent_type: z.string().trim().min(1).optional().describe(`Which kind of agent; default ${DEFAULT_TYPE}`),
    resume: z
      .string()
      .trim()
      .min(1)
      .optional()
      .describe('agent_id or task_id of an earlier subagent, which continues with what it knows'),
    run_in_background: z.boolean().default(false).describe('Do not wait: a message tells you of its end'),
    timeout: z.number().min(30).max(3600).optional().describe('Seconds after which it is stopped; default none'),
  }),
)

/** Gives work to a subagent. */
export function agentTool({ agents }: { agents: SessionAgents }): Tool<typeof input> {
  return {
    name: 'Agent',
    description,
    input,
    // Starting a subagent changes nothing; each of its calls is judged separately.
    subject: ['description'],
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
    timeoutMs: null,
    async prepare({ prompt, description: what, subagent_type: type, resume, run_in_background: background, timeout }) {
      if (type !== undefined && resume !== undefined)
        return refuse(
          'subagent_type and resume cannot be combined: a resumed subagent keeps its type. Leave out one of them.',
        )
      const agent: AgentWork['agent'] = resume === undefined ? { type: type ?? DEFAULT_TYPE } : { resume }
      const problem = await agents.problem(agent, background)
      if (problem !== undefined) return refuse(problem)
      return {
        summary: `${type ?? (resume === undefined ? DEFAULT_TYPE : 'resumed')}: ${what}`,
        accesses: [],
        async run({ callId, signal, progress }) {
          const work: AgentWork = {
            callId,
            prompt,
            description: what,
            agent,
            background,
            ...(timeout !== undefined && { timeoutMs: timeout * 1000 }),
          }
          try {
            if (background) return inBackground(await agents.start(work))
            const end = await agents.run(work, signal, progress)
            return 'status' in end ? resultOf(end) : inBackground(end, 'The user moved it to the background. ')
          } catch (error) {
            const { message, advice } = failureOf(error)
            return failed(`The subagent could not be started: ${sentence(message)} ${advice}`)
          }
        },
      }
    },
  }
}

function inBackground({ agentId, agentType, isQueued }: WorkingAgent, why = ''): ToolResult {
  return ok(
    [
      `task_id: ${agentId}`,
      `agent_id: ${agentId}`,
      `agent_type: ${agentType}`,
      `status: ${isQueued ? 'queued: it starts when others have ended' : 'running'}`,
      '',
      `${why}It works in the background. You are notified when it ends, with its last message; ` +
        'work on something else in the meantime, and do not do its work yourself.',
    ].join('\n'),
  )
}

function resultOf({ agentId, agentType, status, reason, answer }: AgentOutcome): ToolResult {
  const head = [`agent_id: ${agentId}`, `status: ${status}`, ...(reason === undefined ? [] : [`reason: ${reason}`])]
  const message = answer === '' ? 'It returned no message.' : answer
  const text =
    status === 'completed' ? `${head.join('\n')}\n\n${message}` : `${head.join('\n')}\n\nIts last message:\n${message}`
  const details = { kind: 'agent' as const, agentId, agentType, status, text: answer }
  return status === 'completed'
    ? ok(text, details)
    : failed(`${text}\n\nWith resume it continues where it was.`, details)
}
