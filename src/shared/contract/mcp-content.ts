import { oc, type } from '@orpc/contract'
import { z } from 'zod'
import type { McpPrompt, McpResource, McpResourceContent } from '../model/mcp-content'

const sessionId = z.string().min(1).max(100)
const name = z.string().min(1).max(300)

/** What MCP servers offer a session beside tools. Failures: `mcp.*`, `request.invalid`. */
export const mcpContentContract = {
  /** Prompts of the session's servers, as known. `server`: of this one alone, as it is written in a command; it is started where that is needed to know them. */
  prompts: oc.input(z.strictObject({ sessionId, server: name.optional() })).output(type<McpPrompt[]>()),
  /** Resources that fit what stands behind an `@`, best first; behind `server:` that server is asked, too. */
  resources: oc
    .input(z.strictObject({ sessionId, query: z.string().max(2500), limit: z.int().min(1).max(200).default(20) }))
    .output(type<McpResource[]>()),
  /** Values that a server proposes for an argument of a prompt. */
  complete: oc
    .input(
      z.strictObject({
        sessionId,
        server: name,
        prompt: name,
        argument: name,
        value: z.string().max(2000),
        given: z.record(name, z.string().max(2000)).default({}),
      }),
    )
    .output(type<string[]>()),
  /** What a resource holds, to be looked at. */
  read: oc.input(z.strictObject({ sessionId, server: name, uri: z.string().min(1).max(2500) })).output(type<McpResourceContent>()),
}
