import type { ConfigProblem } from '../../../../shared/configuration/settings'
import type { ConfiguredServer } from '../config/configured-server'
import type { SharedServer } from './shared-server'

/** Told this long after a turn has begun to wait for servers: most are there by then, and nobody wonders yet. */
const WAIT_NOTICE_AFTER_MS = 1_000

/** Tells a person something about servers; `info` is of no more interest once it is over. */
export type NotifyUser = (text: string, tone: 'info' | 'warning') => void

/** What a server in use is like just now. */
export interface ServerStatus {
  server: Pick<ConfiguredServer, 'serverId' | 'name'>
  shared: Pick<SharedServer, 'state' | 'error'> | undefined
}

/** What a person has to know of the servers of their sessions, where no settings page is open: said once each. */
export class ServerNotices {
  readonly #tell: NotifyUser
  readonly #told = new Set<string>()

  constructor(tell: NotifyUser) {
    this.#tell = tell
  }

  /** What is wrong with the files that servers are written in. */
  reportConfigProblems(problems: readonly ConfigProblem[]): void {
    for (const { file, line, message } of problems) {
      const place = line === undefined ? file : `${file}:${line}`
      this.#once(
        `${place} ${message}`,
        `${place}: ${message} The MCP servers that this concerns are not used until the file is corrected.`,
      )
    }
  }

  /** Those that give no tools, and what to do about it. */
  reportUnavailable(servers: Iterable<ServerStatus>): void {
    for (const { server, shared } of servers) {
      const name = oneLine(server.name)
      if (shared?.state === 'sign_in')
        this.#once(
          `${server.serverId} sign_in`,
          `The MCP server ${name} wants you to sign in: trestle mcp login ${name}. The agent goes on without it.`,
        )
      else if (shared?.state === 'failed') {
        const why = oneLine(shared.error?.message ?? 'it does not say why.')
        const advice = `"trestle mcp test ${name}" tries it alone.`
        this.#once(
          `${server.serverId} failed`,
          `The MCP server ${name} could not be reached: ${why} The agent goes on without it; ${advice}`,
        )
      }
    }
  }

  /** A turn waits for these servers, at most `mostMs`. Returns what is to be called when it waits no longer, with those that are still not there. */
  reportWaiting(names: readonly string[], mostMs: number): (missing: readonly string[]) => void {
    const upTo = seconds(mostMs)
    const timer = setTimeout(
      () => this.#tell(`Waiting for the MCP ${named(names)} (up to ${upTo})…`, 'info'),
      Math.min(WAIT_NOTICE_AFTER_MS, mostMs),
    )
    return (missing) => {
      clearTimeout(timer)
      if (missing.length === 0) return
      const [it, has] = missing.length === 1 ? ['it', 'has'] : ['they', 'have']
      this.#once(
        `late ${missing.join(' ')}`,
        `The MCP ${named(missing)} ${has} not started within ${upTo}. The agent goes on without ${it === 'it' ? 'it' : 'them'}, and can use ${it === 'it' ? 'it' : 'them'} once ${it} ${has}.`,
      )
    }
  }

  #once(key: string, text: string): void {
    if (this.#told.has(key)) return
    this.#told.add(key)
    this.#tell(text, 'warning')
  }
}

function named(names: readonly string[]): string {
  return `${names.length === 1 ? 'server' : 'servers'} ${names.map(oneLine).join(', ')}`
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}

/** Names and words of servers are others': nothing that could pass for another line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
