import { eventIterator, oc, type } from '@orpc/contract'
import { z } from 'zod'
import {
  MCP_SERVER_SANDBOXES,
  type McpLogLine,
  type McpServerInput,
  type McpServerList,
  type McpServerView,
  type McpSignInStep,
  type McpTestResult,
  type McpImportPreview,
} from '../../configuration/customize/mcp'
import type { McpPrompt, McpResource, McpResourceContent } from '../../configuration/customize/mcp-content'

const server = z.strictObject({ serverId: z.string().min(1).max(2000) })
const name = z.string().min(1).max(200)
const place = z.discriminatedUnion('scope', [
  z.strictObject({ scope: z.literal('user'), name }),
  z.strictObject({ scope: z.literal('project'), folder: z.string().min(1), name }),
])
const text = z.string().max(10_000)
const values = z.record(z.string().min(1).max(500), text.nullable())
const switches = {
  enabled: z.boolean(),
  startTimeoutMs: z.int().min(1).max(3_600_000),
  callTimeoutMs: z.int().min(1).max(3_600_000),
  disabledTools: z.array(text).max(10_000),
  enabledTools: z.array(text).max(10_000).optional(),
}
const oauth = z.strictObject({
  clientId: text.optional(),
  clientSecret: text.nullable().optional(),
  scopes: z.array(text).max(1000).optional(),
  redirectUrl: text.optional(),
  clientMetadataUrl: text.optional(),
})
const definition: z.ZodType<McpServerInput> = z.discriminatedUnion('transport', [
  z.strictObject({
    ...switches,
    transport: z.literal('stdio'),
    command: text.min(1),
    args: z.array(text).max(1000),
    env: values,
    cwd: text.optional(),
    sandbox: z.enum(MCP_SERVER_SANDBOXES).optional(),
  }),
  z.strictObject({
    ...switches,
    transport: z.literal('http'),
    url: text.min(1),
    headers: values,
    oauth: oauth.optional(),
  }),
  z.strictObject({
    ...switches,
    transport: z.literal('sse'),
    url: text.min(1),
    headers: values,
    oauth: oauth.optional(),
  }),
])

/** MCP servers. Listing starts none of them. */
export const mcpContract = {
  /** `folder`: with the servers of that project, including those not accepted yet. */
  list: oc.input(z.strictObject({ folder: z.string().min(1).optional() })).output(type<McpServerList>()),
  /** What is written about a server, for a form; values that could be secrets are null. */
  definition: oc.input(server).output(type<McpServerInput>()),
  /**
   * Writes a server into its file, others and comments as they are. `previousName`: the one that is changed or renamed;
   * without it the name must be new.
   */
  save: oc.input(z.strictObject({ place, definition, previousName: name.optional() })).output(type<McpServerList>()),
  remove: oc.input(z.strictObject({ place })).output(type<McpServerList>()),
  /** Servers of other products, also of those kept in `folder`, that could be taken over. Nothing is written. */
  imports: oc.input(z.strictObject({ folder: z.string().min(1).optional() })).output(type<McpImportPreview[]>()),
  /** The same for pasted text. */
  previewImport: oc.input(z.strictObject({ text: z.string().max(1_000_000) })).output(type<McpImportPreview>()),
  /**
   * Adds what was chosen to the user's own servers, all or none; `config.changed` when a file is not what was shown.
   */
  import: oc
    .input(
      z.strictObject({
        sourceId: z.string().min(1),
        hash: z.string(),
        text: z.string().max(1_000_000).optional(),
        servers: z
          .array(
            z.strictObject({
              key: z.string(),
              name,
              replace: z.boolean().optional(),
              values: z.record(z.string(), z.string().max(10_000)).optional(),
            }),
          )
          .min(1)
          .max(500),
      }),
    )
    .output(type<McpServerList>()),
  setEnabled: oc.input(server.extend({ enabled: z.boolean() })).output(type<McpServerView>()),
  setToolEnabled: oc.input(server.extend({ tool: text, enabled: z.boolean() })).output(type<McpServerView>()),
  /** Restarts the server; the view says why it did not start. */
  restart: oc.input(server).output(type<McpServerView>()),
  /** Tests with a connection of its own, and returns a message about the result. */
  test: oc.input(server).output(type<McpTestResult>()),
  logs: oc.input(server).output(type<McpLogLine[]>()),
  /**
   * First the page for the browser, which is http(s), then the server as it stands after the sign-in. Ending the
   * iteration cancels the sign-in.
   */
  signIn: oc.input(server).output(eventIterator(type<McpSignInStep>())),
  signOut: oc.input(server).output(type<McpServerView>()),
}

const sessionId = z.string().min(1).max(100)
const itemName = z.string().min(1).max(300)

/** What MCP servers offer a session beside tools. Failures: `mcp.*`, `request.invalid`. */
export const mcpContentContract = {
  /**
   * Prompts of the session's servers, as known. `server`: of this one alone, as it is written in a command; it is
   * started where that is needed to know them.
   */
  prompts: oc.input(z.strictObject({ sessionId, server: itemName.optional() })).output(type<McpPrompt[]>()),
  /** Resources that fit what stands behind an `@`, best first; behind `server:` that server is asked, too. */
  resources: oc
    .input(z.strictObject({ sessionId, query: z.string().max(2500), limit: z.int().min(1).max(200).default(20) }))
    .output(type<McpResource[]>()),
  /** Values that a server proposes for an argument of a prompt. */
  complete: oc
    .input(
      z.strictObject({
        sessionId,
        server: itemName,
        prompt: itemName,
        argument: itemName,
        value: z.string().max(2000),
        given: z.record(itemName, z.string().max(2000)).default({}),
      }),
    )
    .output(type<string[]>()),
  /** What a resource holds, to be looked at. */
  read: oc
    .input(z.strictObject({ sessionId, server: itemName, uri: z.string().min(1).max(2500) }))
    .output(type<McpResourceContent>()),
}
