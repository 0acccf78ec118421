import { UsageError, type Parsed, didYouMean } from '../../console/parse-command'
import type { Engine } from '../../engine/engine-api'
import { CodedError } from '../../../shared/errors'
import type { McpServerView } from '../../../shared/configuration/customize/mcp'
import { nearest } from '../../../shared/nearest'

/** The input of an action. */
export interface McpAction {
  mcp: Engine['mcp']
  folder: string
  values: Parsed['values']
  words: string[]
  /** Whether the arguments contain `--`, which precedes a command. */
  hasSeparator: boolean
  isJson: boolean
  /** Aborted by Ctrl+C. */
  signal: AbortSignal
}

/** Wrong usage of `trestle mcp`. */
export function usageError(message: string): UsageError {
  return new UsageError(message, 'mcp')
}

/**
 * The server of this name that is used in the folder; with `--project`, the project's. Throws CodedError
 * `request.invalid`.
 */
export async function findServer({ mcp, folder, values }: McpAction, name: string): Promise<McpServerView> {
  const { servers } = await mcp.list(folder)
  const [inProject, named] = [values['project'] === true, servers.filter((server) => server.name === name)]
  const found = named.find(({ scope, hiddenBy }) => (inProject ? scope === 'project' : hiddenBy === undefined))
  if (found) return found
  const names = servers.map((server) => server.name)
  const none =
    servers.length === 0
      ? 'No server is configured; add one with: trestle mcp add NAME URL.'
      : `There are: ${names.join(', ')}.${didYouMean(nearest(name, names, 1))}`
  throw new CodedError('request.invalid', `${inProject ? 'The project has' : 'There is'} no server "${name}". ${none}`)
}

/** A server that is allowed to run: a project's server only once the user has accepted it. */
export async function usableServer(asked: McpAction, name: string): Promise<McpServerView> {
  const server = await findServer(asked, name)
  if (server.state === 'asked')
    throw new CodedError(
      'request.invalid',
      `The project's server "${name}" is not used before you have accepted it. ` +
        'See what it would do with: trestle permission show. Accept it with: trestle permission trust.',
    )
  if (server.state === 'disabled')
    throw new CodedError(
      'request.invalid',
      `The server "${name}" is switched off; switch it on with: trestle mcp enable ${name}.`,
    )
  return server
}
