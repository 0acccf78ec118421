import { realpathSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { createHash } from 'node:crypto'
import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import type { ConfigProblem } from '../../../../shared/configuration/settings'
import { readConfigText } from '../../config/read-config-file'
import { readTrustState } from '../../trust/trust-state'
import { type ConfiguredServer, serverIdOf } from './configured-server'
import type { McpServerDefinition } from '../../../../shared/configuration/customize/mcp'
import { PLUGIN_ROOT, pluginName } from '../../../../shared/model/app/plugin'
import type { Plugin } from '../../plugin/read-plugin'
import { writePrivateFile } from '../../config/write-private-file'

export interface FoundServers {
  servers: ConfiguredServer[]
  problems: ConfigProblem[]
}

export function userFile(home: string): string {
  return join(home, 'mcp.json')
}

export function projectFile(folder: string): string {
  return join(folder, '.mcp.json')
}

/** The real path of a folder, or the unchanged path when it does not exist. */
export function realFolder(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}

/** The user's own servers, from `mcp.json` of the home. */
export async function userServers(home: string): Promise<FoundServers> {
  const file = userFile(home)
  const found = readConfigText(file)
  if ('missing' in found) return { servers: [], problems: [] }
  if ('problem' in found) return { servers: [], problems: [found.problem] }
  // The parser is loaded only when there is something to read.
  const { readServers } = await import('./read-servers')
  const { servers, problems } = readServers(found.text, file)
  return {
    servers: servers.map(({ name, definition }) => ({
      serverId: serverIdOf('user', name),
      name,
      scope: 'user',
      file,
      definition,
      isAccepted: true,
    })),
    problems,
  }
}

/**
 * The servers in `.mcp.json` of a project (a real path). The project may come from an untrusted source: a server is
 * used only when the user trusts the folder with this exact definition. After a change, unchanged accepted servers
 * remain in use and the others need approval.
 */
export async function projectServers(home: string, folder: string): Promise<FoundServers> {
  const file = projectFile(folder)
  const { state, files, accepted } = readTrustState(home, folder)
  const now = files.find(({ kind }) => kind === 'mcp')
  if (!now) return { servers: [], problems: [] }
  if (now.problem) return { servers: [], problems: [now.problem] }
  const { readServers } = await import('./read-servers')
  const { servers, problems } = readServers(now.text, file)
  const before = accepted?.files.find((old) => old.file === file)
  const seen = state === 'trusted' ? servers : before ? readServers(before.text, file).servers : []
  const choices = readChoices(home, folder)
  const weakened = servers.flatMap(({ name, line, definition }): ConfigProblem[] =>
    definition.transport === 'stdio' && definition.sandbox === 'unrestricted'
      ? [
          {
            file,
            line,
            message: `${name}.sandbox: A project's server always runs in a sandbox, so "unrestricted" is ignored.`,
          },
        ]
      : [],
  )
  return {
    servers: servers.map(({ name, definition, words }) => ({
      serverId: serverIdOf('project', name, folder),
      name,
      scope: 'project',
      file,
      folder,
      definition: withChoice(definition, choices[name]),
      isAccepted: seen.some((old) => old.name === name && old.words === words),
    })),
    problems: [...problems, ...weakened],
  }
}

/**
 * The servers of the plugins that are active in a folder (a real path), named `plugin:server`. They run like those of a
 * trusted project. A server with the same name in one of the files takes precedence.
 */
export async function pluginServers(
  home: string,
  folder: string,
  plugins: readonly Pick<Plugin, 'manifest' | 'root' | 'servers'>[],
  written: readonly ConfiguredServer[],
): Promise<FoundServers> {
  const found: FoundServers = { servers: [], problems: [] }
  const bringing = plugins.filter(({ servers }) => servers !== undefined)
  if (bringing.length === 0) return found
  const { readServers } = await import('./read-servers')
  const choices = readChoices(home, folder)
  for (const { manifest, root, servers: text = '' } of bringing) {
    const file = join(root, 'mcp.json')
    const { servers, problems } = readServers(text, file)
    found.problems.push(...problems)
    for (const { name: own, line, definition } of servers) {
      const name = pluginName(manifest.name, own)
      const taken = written.find((server) => server.name === name)
      if (taken) {
        const where = taken.file ?? 'Another file'
        const message = `${own}: ${where} has a server of the name ${name}, which is used instead.`
        found.problems.push({ file, line, message })
        continue
      }
      if (definition.transport === 'stdio' && definition.sandbox === 'unrestricted')
        found.problems.push({
          file,
          line,
          message: `${own}.sandbox: A plugin's server always runs in a sandbox, so "unrestricted" is ignored.`,
        })
      found.servers.push({
        serverId: serverIdOf('project', name, folder),
        name,
        scope: 'project',
        file,
        folder,
        plugin: { name: manifest.name, root },
        definition: withChoice(inPlugin(definition, root), choices[name]),
        isAccepted: true,
      })
    }
  }
  return found
}

/** The definition with the path of its plugin's files filled in and added to its environment. */
function inPlugin(definition: McpServerDefinition, root: string): McpServerDefinition {
  if (definition.transport !== 'stdio') return definition
  const put = (text: string): string => text.replaceAll(`\${${PLUGIN_ROOT}}`, root)
  const { command, args, cwd, env } = definition
  return {
    ...definition,
    command: put(command),
    args: args.map(put),
    ...(cwd !== undefined && { cwd: put(cwd) }),
    env: {
      ...Object.fromEntries(Object.entries(env).map(([name, value]) => [name, put(value)])),
      [PLUGIN_ROOT]: root,
    },
  }
}

const Choice = lazySchema(() =>
  z.object({ enabled: z.boolean().optional(), disabledTools: z.array(z.string()).optional() }),
)
const Entry = lazySchema(() => z.object({ folder: z.string(), servers: z.record(z.string(), Choice()) }))

/** The user's choice to enable or disable one server of a project, or its tools; the project defines the rest. */
type Choice = SchemaOutput<typeof Choice>
type Choices = Readonly<Record<string, Choice>>

/**
 * A project's file is shared by everyone who works on it, so the user's own settings are kept in the home. Unreadable
 * entries count as not set.
 */
function readChoices(home: string, folder: string): Choices {
  const found = readConfigText(placeOf(home, folder))
  if (!('text' in found)) return {}
  try {
    const entry = Entry().safeParse(JSON.parse(found.text)).data
    return entry?.folder === folder ? entry.servers : {}
  } catch {
    return {}
  }
}

export function writeChoice(home: string, folder: string, name: string, choice: Choice): void {
  mkdirSync(join(home, 'mcp-choices'), { recursive: true, mode: 0o700 })
  const servers = { ...readChoices(home, folder), [name]: choice }
  writePrivateFile(placeOf(home, folder), `${JSON.stringify({ folder, servers }, undefined, 2)}\n`)
}

function withChoice(definition: McpServerDefinition, choice: Choice | undefined): McpServerDefinition {
  return {
    ...definition,
    enabled: choice?.enabled ?? definition.enabled,
    disabledTools: choice?.disabledTools ?? definition.disabledTools,
  }
}

function placeOf(home: string, folder: string): string {
  return join(home, 'mcp-choices', `${createHash('sha256').update(folder).digest('hex').slice(0, 40)}.json`)
}
