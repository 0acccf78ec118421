import { z } from 'zod'
import { lazySchema } from '../../../../shared/lazy-schema'
import { nearest } from '../../../../shared/nearest'
import type { SessionAgents } from '../session-services'
import { ok, refuse, type Tool } from '../tool'
import description from './create-subagent.md?raw'
import { cutText } from '../../../../shared/cut-text'

const input = lazySchema(() =>
  z.strictObject({
    name: z
      .string()
      .regex(/^[a-z0-9]+(?:[-_][a-z0-9]+)*$/, 'lowercase letters, digits, and single hyphens between them')
      .max(64)
      .describe('The subagent_type to call it by'),
    description: z.string().trim().min(1).max(1000).describe('What it is good for'),
    system_prompt: z.string().trim().min(1).max(50_000).describe('Who it is and how it works'),
    tools: z
      .array(z.string())
      .max(100)
      .optional()
      .describe('Names of tools, of those you have yourself; default all of them but Agent'),
  }),
)

/** A subagent never gets the tool that defines types, and it can start subagents only if the list names that tool. */
const NOT_PASSED_ON = 'CreateSubagent'
const ONLY_BY_NAME = 'Agent'

/** Lets the agent define a type of subagents for its session. */
export function createSubagentTool({ agents }: { agents: SessionAgents }): Tool<typeof input> {
  return {
    name: 'CreateSubagent',
    description,
    input,
    subject: ['name'],
    annotations: { readOnly: true, destructive: false, idempotent: true, openWorld: false },
    async prepare({ name, description: about, system_prompt: systemPrompt, tools }) {
      if ((await agents.types()).some((type) => type.name === name))
        return refuse(`There is an agent type "${name}" already. Choose another name, or use that one.`)
      const own = (await agents.tools()).filter((tool) => tool !== NOT_PASSED_ON)
      const foreign = tools?.find((tool) => !own.includes(tool))
      if (foreign !== undefined) {
        const [near] = nearest(foreign, own, 1)
        return refuse(
          `"${foreign.slice(0, 80)}" is not among the tools you can pass ` +
            `on.${near === undefined ? '' : ` Did you mean ${near}?`} They are: ${own.join(', ')}.`,
        )
      }
      return {
        summary: `${name}: ${cutText(about, 100)}`,
        accesses: [],
        preview: async () => ({ kind: 'text', text: `${about}\n\n${systemPrompt}` }),
        async run() {
          agents.define({
            name,
            description: about,
            systemPrompt,
            tools: [...new Set(tools ?? own.filter((tool) => tool !== ONLY_BY_NAME))],
          })
          return ok(`Agent can now be called with subagent_type "${name}", for the rest of this session.`)
        },
      }
    },
  }
}
