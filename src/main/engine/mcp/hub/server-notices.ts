import type { ConfigProblem } from '../../../../shared/configuration/settings'
import type { ConfiguredServer } from '../config/configured-server'
import type { SharedServer } from './shared-server'

/** Delay before a turn's wait for servers is reported: most are ready by then. */
const WAIT_NOTICE_AFTER_MS = 1_000

/** Maximum number of reports per server about requests that cannot be shown: a server may keep inventing new ones. */
const MAX_UNSHOWN = 10

/** Notifies the user about servers; an `info` notice is obsolete once the condition is over. */
export type NotifyUser = (text: string, tone: 'info' | 'warning') => void

/** The current state of a server in use. */
export interface ServerStatus {
  server: Pick<ConfiguredServer, 'serverId' | 'name'>
  shared: Pick<SharedServer, 'state' | 'error'> | undefined
}

/**
 * What the user has to know about the servers of their sessions when no settings page is open; each notice is shown
 * once.
 */
export class ServerNotices {
  readonly #notify: NotifyUser
  readonly #shown = new Set<string>()
  /** How often each server asked for something that cannot be shown. */
  readonly #unshown = new Map<string, number>()

  constructor(notify: NotifyUser) {
    this.#notify = notify
  }

  /** Reports problems in the files that define servers. */
  reportConfigProblems(problems: readonly ConfigProblem[]): void {
    for (const { file, line, message } of problems) {
      const place = line === undefined ? file : `${file}:${line}`
      this.#once(
        `${place} ${message}`,
        `${place}: ${message} The MCP servers that this concerns are not used until the file is corrected.`,
      )
    }
  }

  /** Reports servers without tools, and what to do about it. */
  reportUnavailable(servers: Iterable<ServerStatus>): void {
    for (const { server, shared } of servers) {
      const name = oneLine(server.name)
      if (shared?.state === 'sign_in')
        this.#once(
          `${server.serverId} sign_in`,
          `The MCP server ${name} requires you to sign in: trestle mcp login ${name}. The agent continues without it.`,
        )
      else if (shared?.state === 'failed') {
        const why = oneLine(shared.error?.message ?? 'it does not say why.')
        const advice = `test it with "trestle mcp test ${name}".`
        this.#once(
          `${server.serverId} failed`,
          `The MCP server ${name} could not be reached: ${why} The agent continues without it; ${advice}`,
        )
      }
    }
  }

  /** Reports that a server asked the user for something that cannot be shown; `what`: the end of a sentence. */
  reportUnshown(server: string, what: string): void {
    const before = this.#unshown.get(server) ?? 0
    if (before >= MAX_UNSHOWN) return
    this.#unshown.set(server, before + 1)
    this.#once(
      `${server} unshown ${what}`,
      `The MCP server ${oneLine(server)} asked for ${what}. Trestle cannot show it, so it was refused.`,
    )
  }

  /**
   * Reports that a turn waits for these servers, at most `maxMs`. Call the returned function when the wait is over,
   * with the servers that are still missing.
   */
  reportWaiting(names: readonly string[], maxMs: number): (missing: readonly string[]) => void {
    const upTo = seconds(maxMs)
    const timer = setTimeout(
      () => this.#notify(`Waiting for the MCP ${named(names)} (up to ${upTo})…`, 'info'),
      Math.min(WAIT_NOTICE_AFTER_MS, maxMs),
    )
    return (missing) => {
      clearTimeout(timer)
      if (missing.length === 0) return
      const [it, has] = missing.length === 1 ? ['it', 'has'] : ['they', 'have']
      this.#once(
        `late ${missing.join(' ')}`,
        `The MCP ${named(missing)} ${has} not started within ${upTo}. ` +
          `The agent continues without ${it === 'it' ? 'it' : 'them'} until ${it} ${has}.`,
      )
    }
  }

  #once(key: string, text: string): void {
    if (this.#shown.has(key)) return
    this.#shown.add(key)
    this.#notify(text, 'warning')
  }
}

function named(names: readonly string[]): string {
  return `${names.length === 1 ? 'server' : 'servers'} ${names.map(oneLine).join(', ')}`
}

function seconds(ms: number): string {
  return `${Math.round(ms / 100) / 10} s`
}

/** Names and messages come from servers, so nothing in them may look like another line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\p{C}\p{Zl}\p{Zp}\s]+/gu, ' ').trim()
}
