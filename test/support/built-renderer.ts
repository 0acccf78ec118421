import { existsSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The folder of the real interface, as built by `npm run build`: building it takes longer than the tests that use it.
 */
export function builtRenderer(): string {
  const folder = join(import.meta.dirname, '..', '..', 'out', 'renderer')
  if (!existsSync(join(folder, 'index.html'))) throw new Error('The interface is not built: npm run build')
  return folder
}
