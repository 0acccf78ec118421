import { CodedError } from '../../../shared/model/errors'
import type { McpServerView } from '../../../shared/model/mcp'
import { nearest } from '../../../shared/nearest'
import { didYouMean } from '../../command-line/parse'
import type { McpAction } from './mcp-action'

/** The server of this name that would be used in the folder; with `--project`, the project's. CodedError `request.invalid`. */
export async function namedServer({ mcp, folder, values }: McpAction, name: string): Promise<McpServerView> {
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

/** One that may be used: a project's only when somebody has accepted it. */
export async function usableServer(asked: McpAction, name: string): Promise<McpServerView> {
  const server = await namedServer(asked, name)
  if (server.state === 'asked')
    throw new CodedError(
      'request.invalid',
      `The project's server "${name}" is not used before you have accepted it. See what it would do with: trestle permission show. Accept it with: trestle permission trust.`,
    )
  if (server.state === 'disabled')
    throw new CodedError('request.invalid', `The server "${name}" is switched off; switch it on with: trestle mcp enable ${name}.`)
  return server
}
