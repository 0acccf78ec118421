import type { EngineChange } from './engine-options'
import { createPluginsOf, type Plugins } from '../plugin/active-plugins'
import { agentTrace } from '../runtime/agent-trace'

interface EnginePluginsDeps {
  home: string
  notify(change: EngineChange): void
  /** Warns the user; the same text only once. */
  warn(text: string): void
}

/**
 * The plugins of an engine: none is active before the user has accepted it, and only a Trestle that the user started
 * can accept one.
 */
export function createEnginePlugins({ home, notify, warn }: EnginePluginsDeps): Plugins {
  return createPluginsOf({
    home,
    now: Date.now,
    env: () => process.env,
    describeServers: async (...file) => (await import('../mcp/config/describe-server')).describeServerFile(...file),
    agentTrace: () => agentTrace({ home, orphans: false }),
    changed: () => notify({ kind: 'plugins' }),
    warn,
  })
}
