import { join } from 'node:path'
import type { TaskHostProgram } from './engine/task/custody/connect-task-host'

/** How this program starts its task host: as plain Node, Electron too. Works from an entry, from any of its chunks, and from the sources. */
export function taskHostProgram(): TaskHostProgram {
  const { execPath, execArgv, versions } = process
  const isBuilt = import.meta.filename.endsWith('.js')
  const folder = import.meta.dirname.replace(/([\\/])chunks$/, '')
  return {
    program: isBuilt ? [execPath, join(folder, 'task-host.js')] : [execPath, ...execArgv, join(folder, 'task-host.ts')],
    env: 'electron' in versions ? { ELECTRON_RUN_AS_NODE: '1' } : {},
  }
}
