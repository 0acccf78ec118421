import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { call, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const task: EvalTask = {
  about: 'Asks an MCP server for what is so now, instead of answering from an old export in the project.',
  prompts: ['Who has ticket T-17 now? Ask the ticket system. Answer with the name and nothing else.'],
  setup() {
    const assignee = `Person${randomInt(1000, 9999)}`
    return {
      values: { assignee },
      config: { permission: { rules: [{ decision: 'allow', pattern: 'mcp__tickets__*' }] } },
      mcpServers: {
        tickets: {
          command: process.execPath,
          args: ['--no-warnings', join(import.meta.dirname, 'server.ts')],
          env: { ASSIGNEE: assignee },
        },
      },
    }
  },
  check({ answer, values }) {
    return answer.includes(values['assignee']!) ? [] : [`The answer is "${answer}"; right is ${values['assignee']}.`]
  },
  good: {
    steps: [
      call('mcp__tickets__get_ticket', { id: 'T-17' }),
      ({ said }) => say(/assignee[\\"]+:[\\"]+(\w+)/.exec(said)?.[1] ?? 'The ticket system did not answer.'),
    ],
  },
  bad: {
    steps: [call('Grep', { pattern: 'T-17', output_mode: 'content' }), read('tickets.md'), say('Otto')],
  },
}

export default task
