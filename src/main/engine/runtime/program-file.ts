import { fileURLToPath } from 'node:url'
import { outsideArchive } from './plain-node'

/**
 * The file of a program or worker that is built as an entry of its own. `source` leads to it from the TypeScript file that asks; in the built program all entries lie beside each
 * other, and what asks is in one of them or in a chunk.
 */
export function programFile(here: string, source: string): string {
  if (here.endsWith('.ts')) return fileURLToPath(new URL(source, here))
  const name = source.slice(source.lastIndexOf('/') + 1).replace(/\.ts$/, '.js')
  return outsideArchive(fileURLToPath(new URL(here.includes('/chunks/') ? `../${name}` : `./${name}`, here)))
}
