import { join } from 'node:path'

/** Where the built interface is: beside the folder of the built main process. Works from an entry and from any of its chunks. */
export function rendererFolder(): string {
  const [root] = import.meta.dirname.split(/[\\/]main(?:[\\/]chunks)?$/)
  return join(root!, 'renderer')
}
