import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { nearest } from '../../../../shared/nearest'
import { didYouMean, type Parsed } from '../../../console/parse-command'
import { openConfig } from '../../../engine/config/config'
import { resolveHome } from '../../../engine/config/home'
import { projectSettings } from '../../../engine/trust/project-settings'
import { createSandboxes } from '../../../engine/sandbox/create-sandboxes'
import { usageError, type SandboxAction } from './sandbox-status'

/** The options of each action. */
const ACTIONS: Record<string, readonly string[]> = {
  status: ['cwd', 'mode', 'json'],
  try: ['cwd', 'level', 'network'],
}

/**
 * `trestle sandbox`: shows the sandbox for commands of a folder, or runs a command in it. Returns 0, or the exit code
 * of that command.
 */
export async function sandboxMain({ values, positionals: [action, command] }: Parsed): Promise<number> {
  const names = Object.keys(ACTIONS)
  if (action === undefined)
    throw usageError('Specify an action: trestle sandbox status, or trestle sandbox try "command".')
  const known = Object.hasOwn(ACTIONS, action) ? ACTIONS[action] : undefined
  if (!known)
    throw usageError(`Unknown "${action}"; there is: ${names.join(', ')}.${didYouMean(nearest(action, names, 1))}`)
  const stray = Object.keys(values).find((name) => name !== 'help' && !known.includes(name))
  if (stray !== undefined) throw usageError(`--${stray} cannot be used with ${action}.`)
  if ((action === 'try') !== (command !== undefined))
    throw usageError(
      action === 'try' ? 'Give the command in quotes: trestle sandbox try "npm test".' : 'status takes no argument.',
    )
  const place = await open(values)
  if (command === undefined) {
    const { sandboxStatus } = await import('./sandbox-status')
    return sandboxStatus(place)
  }
  const { trySandbox } = await import('./sandbox-status')
  return trySandbox(place, command)
}

async function open(values: Parsed['values']): Promise<SandboxAction> {
  const path = resolve(typeof values['cwd'] === 'string' ? values['cwd'] : '.')
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory()) throw usageError(`--cwd: there is no folder ${path}.`)
  const root = realpathSync(path)
  const home = realpathSync(resolveHome())
  const config = await openConfig({ home })
  const { settings, problems } = await projectSettings(root, config.settings, home)
  config.close()
  for (const { file, line, message } of [...config.problems, ...problems])
    process.stderr.write(`trestle: ${file}${line === undefined ? '' : `:${line}`}: ${message}\n`)
  return {
    sandboxes: createSandboxes({ home, userHome: realpathSync(homedir()) }),
    session: {
      rootId: `try-${process.pid}`,
      root,
      addedFolders: [],
      allowed: { write: [], read: [], hosts: [] },
      settings: settings.sandbox,
    },
    settings,
    home,
    values,
  }
}
