import type { EngineExecution } from './foundation/engine-execution'
import type { EngineFoundation } from './foundation/engine-foundation'
import type { AgentSpecs } from './agent/agent-specs'
import type { Customize } from './customize/customize'
import { agentTrace } from './runtime/agent-trace'
import type { Trust } from './trust/create-trust'

/** Lets the user edit rules, hooks, skills and agents; the code is loaded on first use. */
export function createEngineCustomize(
  { home, config, notify }: Pick<EngineFoundation, 'home' | 'config' | 'notify'>,
  { hooks, skills }: Pick<EngineExecution, 'hooks' | 'skills'>,
  parts: { specs: Pick<AgentSpecs, 'list'>; trust: Pick<Trust, 'accept'> },
): () => Promise<Customize> {
  let loading: Promise<Customize> | undefined
  return () =>
    (loading ??= import('./customize/customize').then(({ createCustomize }) =>
      createCustomize({
        home,
        config,
        hooks,
        skills,
        ...parts,
        agentTrace: () => agentTrace({ home, orphans: false }),
        changed: () => notify({ kind: 'settings' }),
      }),
    ))
}
