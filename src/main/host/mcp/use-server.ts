import { spawn } from 'node:child_process'
import { CodedError } from '../../../shared/errors'
import type { McpLogLine, McpServerView, McpTestResult } from '../../../shared/configuration/customize/mcp'
import type { ToolResult } from '../../engine/tool/tool'
import { nearest } from '../../../shared/nearest'
import { didYouMean } from '../../console/parse-command'
import { table } from '../../console/output'
import { errorAsJson } from '../../console/report'
import { lastStderr } from '../../engine/mcp/protocol/server-log'
import { answerInTerminal } from './answer-server'
import { usageError, type McpAction, usableServer } from './mcp-action'
import { shortText } from '../../../shared/cut-text'

/** Number of stderr lines shown with a test of a server. */
const STDERR_LINES = 12
/** Maximum characters of a tool's description in a list. */
const MAX_DESCRIBED = 80

/** `trestle mcp test NAME`, `tools NAME`, `call NAME TOOL [JSON]` and `logs NAME`. */
export async function useServer(action: 'test' | 'tools' | 'call' | 'logs', asked: McpAction): Promise<number> {
  switch (action) {
    case 'test':
      return test(asked)
    case 'tools':
      return tools(asked)
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
  const stderr = await stderrTail(asked, server)
  if (asked.isJson) process.stdout.write(`${JSON.stringify({ ...result, stderr })}\n`)
  else process.stdout.write(`${ok ? 'ok' : 'failed'} (${durationMs} ms): ${message}\n`)
  if (stderr !== '') process.stderr.write(`${server.name} printed to stderr:\n${stderr.replaceAll(/^/gm, '  ')}\n`)
  return ok ? 0 : 1
}

/** The server's stderr often explains why it does not start. */
async function stderrTail({ mcp }: McpAction, { serverId }: McpServerView): Promise<string> {
  const lines = lastStderr(await mcp.logs(serverId))
  return lines
    .slice(-STDERR_LINES)
    .map(({ text }) => text)
    .join('\n')
}

/** Always queries the server: its last known tools may be outdated. */
async function tools(asked: McpAction): Promise<number> {
  const server = await usableServer(asked, asked.words[0]!)
  const { ok, message } = await tested(asked, server)
  if (!ok) {
    const why = `${server.name} could not list its tools: ${message}`
    if (asked.isJson) process.stdout.write(errorAsJson(new CodedError('mcp.connection', why)))
    process.stderr.write(`trestle: ${why}\n`)
    return 1
  }
  const { servers } = await asked.mcp.list(asked.folder)
  const offered = servers.find(({ serverId }) => serverId === server.serverId)?.tools ?? []
  if (asked.isJson) process.stdout.write(`${JSON.stringify(offered)}\n`)
  else if (offered.length === 0) process.stdout.write(`${server.name} offers no tools.\n`)
  else
    process.stdout.write(
      table(
        ['TOOL', 'STATE', 'DOES', 'TOKENS', 'DESCRIPTION'],
        offered.map(({ name, enabled, problem, readOnly, destructive, tokens, description }) => [
          name,
          problem ?? (enabled ? 'on' : 'off'),
          readOnly ? 'reads' : destructive ? 'destroys' : 'changes',
          String(tokens),
          shortened(description),
        ]),
      ),
    )
  return 0
}

function shortened(description: string): string {
  const [first = ''] = description.trim().split('\n')
  return shortText(first, MAX_DESCRIBED)
}

/** A missing sign-in is the only failure that the user can fix right here. */
function tested(asked: McpAction, server: McpServerView): Promise<McpTestResult> {
  return withSignIn(asked, server, async () => {
    const result = await asked.mcp.test(server.serverId)
    if (result.wantsSignIn) throw new CodedError('mcp.sign_in', result.message)
    return result
  })
}

/** Starts the server, as for a test, and shows only its new log lines. */
async function logs(asked: McpAction): Promise<number> {
  const server = await usableServer(asked, asked.words[0]!)
  const { ok, message } = await tested(asked, server)
  const lines = await asked.mcp.logs(server.serverId)
  process.stdout.write(asked.isJson ? `${JSON.stringify(lines)}\n` : lines.map(lineOf).join(''))
  if (!ok) process.stderr.write(`trestle: ${server.name} failed: ${message}\n`)
  else if (lines.length === 0)
    process.stderr.write(`trestle: ${server.name} works, and has written nothing to its log.\n`)
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
      ask: (question, signal) =>
        answerInTerminal(question, { ...(values && { values }), signal: signal ?? asked.signal }),
    }),
  )
  process.stdout.write(
    asked.isJson
      ? `${JSON.stringify({ isError: result.isError === true, content: result.content })}\n`
      : textOf(result),
  )
  if (!result.isError) return 0
  const { servers } = await asked.mcp.list(asked.folder)
  const tools = servers.find(({ serverId }) => serverId === server.serverId)?.tools.map((each) => each.name) ?? []
  if (tools.length > 0 && !tools.includes(tool))
    process.stderr.write(`trestle: ${name} has no tool "${tool}".${didYouMean(nearest(tool, tools, 1))}\n`)
  return 1
}

function textOf({ content }: ToolResult): string {
  return content
    .map((part) => (part.type === 'text' ? `${part.text}\n` : `[${part.type}: see it with --json]\n`))
    .join('')
}

function objectOf(text: string, what: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  } catch (error) {
    throw usageError(
      `${what} is not JSON: ${(error as Error).message}. Give an object in quotes, like '{"path":"notes.md"}'.`,
    )
  }
  throw new CodedError('request.invalid', `${what} is an object, like '{"path":"notes.md"}'.`)
}

/** Maximum sign-ins per command: the first one, and one with more scopes. */
const MAX_SIGN_INS = 2

/** `trestle mcp login NAME` and `trestle mcp logout NAME`. */
export async function signInOrOut(action: 'login' | 'logout', asked: McpAction): Promise<number> {
  const server = await usableServer(asked, asked.words[0]!)
  const view = action === 'login' ? await signIn(asked, server) : await asked.mcp.signOut(server.serverId)
  const scopes = view.auth?.scopes
  if (asked.isJson) process.stdout.write(`${JSON.stringify(view)}\n`)
  else if (action === 'logout') process.stdout.write(`Signed out of ${server.name}.\n`)
  else process.stdout.write(`Signed in to ${server.name}${scopes ? ` for ${scopes.join(', ')}` : ''}.\n`)
  return 0
}

/** Runs `work`; if it fails because of a missing sign-in and a user is present, signs in and runs it again. */
export async function withSignIn<Result>(
  asked: McpAction,
  server: McpServerView,
  work: () => Promise<Result>,
): Promise<Result> {
  const canSignIn = browserOf(asked) !== undefined || (process.stdin.isTTY && process.stderr.isTTY)
  for (let signIns = 0; ; signIns++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'mcp.sign_in') || !canSignIn || signIns === MAX_SIGN_INS)
        throw error
      process.stderr.write(`trestle: ${error.message}\n`)
      await signIn(asked, server)
    }
  }
}

function signIn(asked: McpAction, { serverId, name }: McpServerView): Promise<McpServerView> {
  const browser = browserOf(asked)
  const open = (url: string): void => {
    process.stderr.write(
      `To sign in to ${name}, open this page:\n\n  ${url}\n\nWaiting until you are done there; Ctrl+C gives up.\n`,
    )
    if (browser !== undefined) openWith(browser, url)
  }
  return asked.mcp.signIn(serverId, open, asked.signal)
}

function browserOf({ values }: McpAction): string | undefined {
  const browser = values['browser']
  return typeof browser === 'string' ? browser : undefined
}

/** The page's URL is never part of a shell command line. */
function openWith(browser: string, url: string): void {
  const child =
    process.platform === 'win32'
      ? spawn(browser, [url], { stdio: 'ignore' })
      : spawn('/bin/sh', ['-c', `${browser} "$1"`, 'sh', url], { stdio: ['ignore', 'ignore', 'inherit'] })
  child.on('error', (error) =>
    process.stderr.write(`trestle: ${browser} cannot be started (${error.message}); open the page yourself.\n`),
  )
  child.unref()
}
