import { fileURLToPath } from 'node:url'

/** The folder of the skills that come with Trestle, `resources/skills` of the package, wherever this code was bundled into: sources, an entry, or a chunk. */
export function builtInSkills(here = import.meta.url): string {
  const top = here.endsWith('.ts') ? '../../../../' : here.includes('/chunks/') ? '../../../' : '../../'
  return fileURLToPath(new URL(`${top}resources/skills`, here))
}
