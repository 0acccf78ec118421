import { fileURLToPath } from 'node:url'
import { outsideArchive } from '../runtime/plain-node'

/**
 * The folder of the skills that come with Trestle, `resources/skills` of the package, wherever this code was bundled into: sources, an entry, or a chunk. In the packaged app it is
 * the one outside of the archive: commands read the files beside a skill, too.
 */
export function builtInSkills(here = import.meta.url): string {
  const top = here.endsWith('.ts') ? '../../../../' : here.includes('/chunks/') ? '../../../' : '../../'
  return outsideArchive(fileURLToPath(new URL(`${top}resources/skills`, here)))
}
