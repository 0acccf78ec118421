import { CodedError } from '../../../shared/model/errors'
import type { McpLogLine, McpServerView, McpTestResult } from '../../../shared/model/mcp'
import type { ToolResult } from '../../engine/tool/tool'
import { nearest } from '../../../shared/nearest'
import { didYouMean } from '../../command-line/parse'
import { askHere } from './ask-here'
import { wrong, type McpAction } from './mcp-action'
import { usableServer } from './named-server'
import { withSignIn } from './sign-in-here'

/** `trestle mcp test NAME`, `trestle mcp call NAME TOOL [JSON]` and `trestle mcp logs NAME`. */
export async function useServer(action: 'test' | 'call' | 'logs', asked: McpAction): Promise<number> {
  switch (action) {
    case 'test':
      return test(asked)
    case 'logs':
      return logs(asked)
    default:
      return call(asked)
  }
}

async function test(asked: McpAction): Promise<number> {
  const server = await usableServer(asked, asked.words[0]!)
  const result = await tested(asked, server)
  const { ok, message, durationMs } = result
  process.stdout.write(asked.isJson ? `${JSON.stringify(result)}\n` : `${ok ? 'ok' : 'failed'} (${durationMs} ms): ${message}\n`)
  return ok ? 0 : 1
}

/** Failing for want of a sign-in is the only failure that somebody at a terminal can mend at once. */
function tested(asked: McpAction, server: McpServerView): Promise<McpTestResult> {
  return withSignIn(asked, server, async () => {
    const result = await asked.mcp.test(server.serverId)
    if (result.wantsSignIn) throw new CodedError('mcp.sign_in', result.message)
    return result
  })
}

/** There is only what happens now: the server is started for it, as for a test. */
async function logs(asked: McpAction): Promise<number> {
  const server = await usableServer(asked, asked.words[0]!)
  const { ok } = await tested(asked, server)
  const lines = await asked.mcp.logs(server.serverId)
  process.stdout.write(asked.isJson ? `${JSON.stringify(lines)}\n` : lines.map(lineOf).join(''))
  return ok ? 0 : 1
}

function lineOf({ at, from, level, text }: McpLogLine): string {
  return `${new Date(at).toISOString()}  ${from}${level === undefined ? '' : ` ${level}`}  ${text}\n`
}

async function call(asked: McpAction): Promise<number> {
  const [name, tool, written] = asked.words as [string, string, string?]
  const input = objectOf(written ?? '{}', 'The input of a tool')
  const answer = asked.values['answer']
  const values = typeof answer === 'string' ? objectOf(answer, '--answer') : undefined
  const server = await usableServer(asked, name)
  const result = await withSignIn(asked, server, () =>
    asked.mcp.callTool(server.serverId, tool, input, {
      callId: 'terminal',
      signal: asked.signal,
      progress: (text) => void process.stderr.write(text),
      ask: (question, signal) => askHere(question, { ...(values && { values }), signal: signal ?? asked.signal }),
    }),
  )
  process.stdout.write(asked.isJson ? `${JSON.stringify({ isError: result.isError === true, content: result.content })}\n` : textOf(result))
  if (!result.isError) return 0
  const { servers } = await asked.mcp.list(asked.folder)
  const tools = servers.find(({ serverId }) => serverId === server.serverId)?.tools.map((each) => each.name) ?? []
  if (tools.length > 0 && !tools.includes(tool))
    process.stderr.write(`trestle: ${name} has no tool "${tool}".${didYouMean(nearest(tool, tools, 1))}\n`)
  return 1
}

function textOf({ content }: ToolResult): string {
  return content.map((part) => (part.type === 'text' ? `${part.text}\n` : `[${part.type}: see it with --json]\n`)).join('')
}

function objectOf(text: string, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (error) {
    throw wrong(`${what} is not JSON: ${(error as Error).message}. Give an object in quotes, like '{"path":"notes.md"}'.`)
  }
  throw new CodedError('request.invalid', `${what} is an object, like '{"path":"notes.md"}'.`)
}
