import { failureOf } from '../../shared/errors'
import type { Appearance } from '../../shared/configuration/appearance'
import { createForwardingRouter } from '../api/server/forwarding-router'
import type { HostActions, LogBug } from '../api/implementer'
import type { ApiRouter } from '../api/server/router'
import { connectWire } from '../wire/wire-client'
import { attachEngine, type AttachOptions, findSharedEngine } from './attach'
import { EngineLink } from './engine-link'
import { differentInEngine } from './environment-check'

/** The engine of the home, in another process, for a host that serves pages. */
export interface JoinedEngine {
  home: string
  /** Environment variables that its commands see differently from those of this process. */
  different: readonly string[]
  /** The last values read; the pages read them again. */
  settings: { appearance(): Appearance }
  /** The contract on that engine, except what this host does itself. */
  router(host: HostActions, logBug: LogBug): ApiRouter
  close(): Promise<void>
}

/** Connects to the running engine, or starts one if that is enabled; otherwise undefined. */
export async function joinEngine(options: AttachOptions): Promise<JoinedEngine | undefined> {
  const found = await findSharedEngine(options)
  if (!found) return undefined
  const first = connectWire(found.socket)
  const different = (await differentInEngine(first.client, found.key)) ?? []
  const link = new EngineLink({
    first,
    // Subscriptions end with `connection.lost`, and pages subscribe again, if necessary to the next engine.
    open: async () => (await attachEngine(options)).socket,
  })
  let { appearance } = await link.client.settings.get()
  const closed = new AbortController()
  void followAppearance(link, closed.signal, (now) => (appearance = now))
  return {
    home: options.home,
    different,
    settings: { appearance: () => appearance },
    router: (host, logBug) => createForwardingRouter({ client: link.client, host, logBug }),
    async close() {
      closed.abort()
      link.close()
    },
  }
}

/** Reads the appearance again whenever settings have changed, until the signal aborts. */
async function followAppearance(
  link: EngineLink,
  signal: AbortSignal,
  changed: (appearance: Appearance) => void,
): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const push of await link.client.push.app(undefined, { signal }))
        if (push.type === 'settings') changed((await link.client.settings.get()).appearance)
    } catch (error) {
      // After a lost connection, the subscription starts with the current settings.
      if (failureOf(error).code !== 'connection.lost') return
    }
  }
}
