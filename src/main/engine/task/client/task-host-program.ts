import { basename, join } from 'node:path'
import { version } from '../../../../../package.json'
import { packagedRuntime, plainNode } from '../../runtime/plain-node'
import type { TaskHostProgram } from './host-connector'

/** Exit code of the app when it was started as if it were Node running one of our programs. */
export const STARTED_AS_NODE_EXIT_CODE = 70
const PROGRAMS = ['task-host.js', 'worker-host.js', 'cli.js']

/** A `TaskHostProgram` that can always install the runtime first. */
export interface StartedTaskHost extends TaskHostProgram {
  program: (home: string) => Promise<readonly string[]>
}

/**
 * How this program starts its task host: on a plain Node, never on Electron's binary. A packaged app first copies the
 * runtime into the home folder, so that the host outlives the app. Works from an entry, from any of its chunks, and
 * from the sources.
 */
export function taskHostProgram(here: string = import.meta.url): StartedTaskHost {
  const packaged = packagedRuntime(here)
  if (!packaged) return { program: async () => [plainNode(), ...siblingProgram()] }
  let installing: Promise<readonly string[]> | undefined
  return {
    program(home) {
      installing ??= (async () => {
        const { installRuntime, removeOldRuntimes } = await import('../../runtime/install-runtime')
        const installed = await installRuntime({ home, version, packaged })
        void removeOldRuntimes(home, installed)
        return [installed.node, join(installed.app, 'out', 'main', 'task-host.js')]
      })().finally(() => (installing = undefined))
      return installing
    },
  }
}

function siblingProgram(): string[] {
  const folder = import.meta.dirname.replace(/([\\/])chunks$/, '')
  return import.meta.filename.endsWith('.js')
    ? [join(folder, 'task-host.js')]
    : [...process.execArgv, join(folder, '..', '..', '..', 'task-host.ts')]
}

/**
 * Whether another Trestle process mistook the desktop app for Node and asks it to run one of our programs. Each such
 * command would otherwise open a window.
 */
export function isStartedAsNode(argv: readonly string[]): boolean {
  return argv.slice(1).some((word) => PROGRAMS.includes(basename(word)) && /[\\/]out[\\/]main[\\/][^\\/]+$/.test(word))
}
