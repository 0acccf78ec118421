import { spawn } from 'node:child_process'
import { CodedError } from '../../../shared/model/errors'
import type { McpServerView } from '../../../shared/model/mcp'
import type { McpAction } from './mcp-action'
import { usableServer } from './named-server'

/** So often one command leads to the browser: for the first sign-in, and for one with more rights. */
const MOST_SIGN_INS = 2

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

/** Runs `work`; where it fails for want of a sign-in and somebody is there for it, signs in and runs it again. */
export async function withSignIn<Result>(asked: McpAction, server: McpServerView, work: () => Promise<Result>): Promise<Result> {
  const canSignIn = browserOf(asked) !== undefined || (process.stdin.isTTY && process.stderr.isTTY)
  for (let signIns = 0; ; signIns++) {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof CodedError && error.code === 'mcp.sign_in') || !canSignIn || signIns === MOST_SIGN_INS) throw error
      process.stderr.write(`trestle: ${error.message}\n`)
      await signIn(asked, server)
    }
  }
}

function signIn(asked: McpAction, { serverId, name }: McpServerView): Promise<McpServerView> {
  const browser = browserOf(asked)
  const open = (url: string): void => {
    process.stderr.write(`To sign in to ${name}, open this page:\n\n  ${url}\n\nWaiting until you are done there; Ctrl+C gives up.\n`)
    if (browser !== undefined) openWith(browser, url)
  }
  return asked.mcp.signIn(serverId, open, asked.signal)
}

function browserOf({ values }: McpAction): string | undefined {
  const browser = values['browser']
  return typeof browser === 'string' ? browser : undefined
}

/** The page's address never becomes part of a command line that a shell reads. */
function openWith(browser: string, url: string): void {
  const child =
    process.platform === 'win32'
      ? spawn(browser, [url], { stdio: 'ignore' })
      : spawn('/bin/sh', ['-c', `${browser} "$1"`, 'sh', url], { stdio: ['ignore', 'ignore', 'inherit'] })
  child.on('error', (error) => process.stderr.write(`trestle: ${browser} cannot be started (${error.message}); open the page yourself.\n`))
  child.unref()
}
