import { attachEngine, findEngine, type AttachOptions, type EngineSocket } from './attach'

/**
 * Connects to the engine of this home for a program that could also run in a process of its own. When none runs, one is
 * started if the user wants that (`shared` of `[engine]`); else undefined.
 */
export async function findSharedEngine(options: AttachOptions): Promise<EngineSocket | undefined> {
  const found = await findEngine(options)
  if (found) return found
  const { openConfig } = await import('../engine/config/config')
  const config = await openConfig({ home: options.home })
  config.close()
  if (!config.settings.engine.shared) return undefined
  const { agentTrace } = await import('../engine/runtime/agent-trace')
  // What a command of an agent starts ends with that command.
  return (await agentTrace({ home: options.home, orphans: false })) === undefined ? attachEngine(options) : undefined
}
