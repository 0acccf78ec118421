import { modelsTableProblem } from '../model/catalog/models-table'
import { accessSync, constants, existsSync, readFileSync, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'
import { failureOf } from '../../../shared/errors'
import type { HealthCheck } from '../../../shared/configuration/app'
import type { ConfigProblem } from '../../../shared/configuration/settings'
import type { Settings } from '../config/settings/settings'
import { readServers } from '../mcp/config/read-servers'
import type { Catalog } from '../model/catalog/catalog'

/** Whether config.toml has problems. */
export function checkConfig(file: string, problems: readonly ConfigProblem[]): HealthCheck {
  const about = { id: 'config', title: 'Configuration' }
  if (problems.length === 0) return { ...about, status: 'ok', detail: file }
  const listed = problems.map(
    ({ file: at, line, message }) => `${at}${line === undefined ? '' : `:${line}`}: ${message}`,
  )
  return {
    ...about,
    status: 'failed',
    detail: listed.join(' '),
    remedy: 'Fix the file at the line named. Until then, the default applies to what is wrong.',
  }
}

/** Whether the table of known models can be read; undefined if it can. */
export function checkModelsTable(): HealthCheck | undefined {
  const problem = modelsTableProblem()
  return (
    problem && { id: 'models', title: 'Known models', status: 'failed', detail: `${problem.file}: ${problem.message}` }
  )
}

/** Whether the default model is configured and has a key. Does not connect to it. */
export async function checkModel(catalog: Pick<Catalog, 'resolve' | 'defaultModel'>): Promise<HealthCheck> {
  const about = { id: 'model', title: 'Default model' }
  try {
    const { info } = await catalog.resolve(undefined)
    return { ...about, status: 'ok', detail: info.id }
  } catch (error) {
    const { code, message, advice } = failureOf(error)
    // A fresh installation has no provider, and works with the demo.
    return { ...about, status: code === 'model.not_configured' ? 'warning' : 'failed', detail: message, remedy: advice }
  }
}

/** Whether the programs of the user's MCP servers can be found. Does not start them. */
export function checkServers(home: string, env: NodeJS.ProcessEnv): HealthCheck {
  const about = { id: 'mcp', title: 'MCP servers' }
  const file = join(home, 'mcp.json')
  if (!existsSync(file)) return { ...about, status: 'ok', detail: 'None configured.' }
  const { servers, problems } = readServers(readFileSync(file, 'utf8'), file)
  const missing = servers.flatMap(({ name, definition }) =>
    definition.enabled &&
    definition.transport === 'stdio' &&
    !definition.command.includes('$') &&
    !isProgram(definition.command, env)
      ? [`The program “${definition.command}” of the MCP server ${name} was not found on PATH.`]
      : [],
  )
  const wrong = [
    ...problems.map(({ line, message }) => `${file}${line === undefined ? '' : `:${line}`}: ${message}`),
    ...missing,
  ]
  if (wrong.length === 0) return { ...about, status: 'ok', detail: `${servers.length} configured.` }
  return {
    ...about,
    status: 'failed',
    detail: wrong.join(' '),
    remedy:
      'Install the program, or give its absolute path as the command in Settings → MCP. ' +
      'If your terminal finds it, see the check of the login shell.',
  }
}

/** Whether a name or path is an executable program. */
export function isProgram(command: string, env: NodeJS.ProcessEnv): boolean {
  const endings = process.platform === 'win32' ? ['', '.exe', '.cmd', '.bat'] : ['']
  const folders =
    isAbsolute(command) || command.includes('/')
      ? ['']
      : (env['PATH'] ?? '').split(delimiter).filter((each) => each !== '')
  return folders.some((folder) => endings.some((ending) => canRun(join(folder, command) + ending)))
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

/** Whether `[web.search]` is incomplete, for example without the key of its search provider. */
export function checkSearch({ web }: Settings, env: NodeJS.ProcessEnv): HealthCheck | undefined {
  const { search } = web
  if (search?.apiKeyEnv === undefined || search.apiKey !== undefined || (env[search.apiKeyEnv] ?? '') !== '')
    return undefined
  return {
    id: 'search',
    title: 'Web search',
    status: 'failed',
    detail: `The variable ${search.apiKeyEnv}, which [web.search] names for the key of ${search.provider}, is not set.`,
    remedy: 'Set it where your shell starts, or write api_key in [web.search].',
  }
}
