import { fileURLToPath } from 'node:url'

/** The folder of the specs that come with Trestle, `resources/agents` of the package, wherever this code was bundled into: sources, an entry, or a chunk. */
export function builtInAgents(here = import.meta.url): string {
  const top = here.endsWith('.ts') ? '../../../../' : here.includes('/chunks/') ? '../../../' : '../../'
  return fileURLToPath(new URL(`${top}resources/agents`, here))
}
