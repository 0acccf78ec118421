import { join } from 'node:path'
import { CodedError } from '../../../../shared/model/errors'
import type { McpScope, McpServerDefinition } from '../../../../shared/model/mcp'
import type { ConfigProblem } from '../../../../shared/model/settings'
import { readConfigText } from '../../config/read-config-file'
import { standingOf } from '../../config/trust/standing'
import { watchConfigFile } from '../../config/watch-file'
import type { McpPlace } from '../mcp'
import { expandVariables } from './expand-variables'
import { readChoices, withChoices, type Choices } from './project-choices'
import { readServers, type WrittenServer } from './read-servers'
import { definitionHash, serverIdOf } from './server-id'

/** A server as the configuration has it. */
export interface ConfiguredServer {
  serverId: string
  name: string
  scope: McpScope
  file?: string
  line?: number
  /** As it is written, with the user's own switches: `${VAR}` stands for itself. Nothing is run or connected to with this; see `resolve`. */
  definition: McpServerDefinition
  /** Of what is run or connected to and with what. */
  hash: string
  /** The folder a relative `cwd` and the command's start refer to. */
  base: string
  /** `needed`: a project's that the user has not seen, or not as it is now. It is not started, connected to or resolved. */
  consent: 'given' | 'needed'
  /** The scope of the server of the same name that is used instead. */
  hiddenBy?: McpScope
}

export interface ConfiguredServers {
  /** Nearer ones first: project, then user. */
  servers: ConfiguredServer[]
  problems: ConfigProblem[]
}

export interface McpConfigDeps {
  home: string
  userHome: string
  /** For the user's own servers. */
  env(): Readonly<Record<string, string | undefined>>
  /** For servers of projects: without keys and hidden names. */
  projectEnv(): Readonly<Record<string, string | undefined>>
  /** Whether files are followed. */
  watch: boolean
  /** Something a list of servers depends on was written. `folder`: only there. */
  onChange(folder?: string): void
}

/** So many folders are followed; of others a change is seen when they are used next. */
const MOST_WATCHED = 32

export interface McpConfig {
  /** The user's file. */
  readonly file: string
  /** The servers a folder (a real path) can use, with those that cannot be used yet; without a folder the user's own. Reads files and does nothing else; never fails. */
  serversFor(folder?: string): ConfiguredServers
  /** What to run or connect to, with the values of variables. CodedError `config.invalid`; a bug when consent is missing. */
  resolve(server: ConfiguredServer): McpServerDefinition
  close(): void
}

/** The file of a place, and what its servers start in. */
export function fileOf(home: string, place: McpPlace): string {
  return place.scope === 'user' ? join(home, 'mcp.json') : join(place.folder, '.mcp.json')
}

export function createMcpConfig({ home, userHome, env, projectEnv, watch, onChange }: McpConfigDeps): McpConfig {
  const file = join(home, 'mcp.json')
  const watched = new Map<string, () => void>()

  function follow(path: string, folder?: string): void {
    if (!watch || watched.has(path)) return
    watched.set(
      path,
      watchConfigFile(path, () => onChange(folder)),
    )
    // The user's own stays.
    for (const [oldest, stop] of watched) {
      if (watched.size <= MOST_WATCHED) return
      if (oldest === file) continue
      stop()
      watched.delete(oldest)
    }
  }

  function userServers(): ConfiguredServers {
    follow(file)
    const found = readConfigText(file)
    if ('missing' in found) return { servers: [], problems: [] }
    if ('problem' in found) return { servers: [], problems: [found.problem] }
    const { servers, problems } = readServers(found.text, file)
    return {
      servers: servers.map((server) => configured('user', server, { file, base: userHome, consent: 'given' })),
      problems: [...problems],
    }
  }

  function projectServers(folder: string): ConfiguredServers {
    const own = join(folder, '.mcp.json')
    follow(own, folder)
    const { state, files, accepted } = standingOf(home, folder)
    const now = files.find(({ kind }) => kind === 'mcp')
    if (!now) return { servers: [], problems: [] }
    if (now.problem) return { servers: [], problems: [now.problem] }
    const { servers, problems } = readServers(now.text, own)
    // After a change what was accepted word for word goes on; the rest waits.
    const before = accepted?.files.find(({ file: path }) => path === own)
    const seen = state === 'trusted' ? servers : before ? readServers(before.text, own).servers : []
    const choices = readChoices(home, folder)
    return {
      servers: servers.map((server) => {
        const consent = seen.some(({ name, words }) => name === server.name && words === server.words) ? 'given' : 'needed'
        return configured('project', server, { file: own, base: folder, consent, folder, choices })
      }),
      problems: [...problems],
    }
  }

  return {
    file,
    serversFor(folder) {
      const lists = [...(folder === undefined ? [] : [projectServers(folder)]), userServers()]
      const used = new Set<string>()
      const servers = lists.flatMap((list) => list.servers)
      for (const server of servers) {
        if (used.has(server.name)) server.hiddenBy = 'project'
        // One that may not run, or is switched off, takes nothing away.
        else if (server.consent === 'given' && server.definition.enabled) used.add(server.name)
      }
      return { servers, problems: lists.flatMap((list) => list.problems) }
    },
    resolve({ definition, scope, consent, base, name }) {
      if (consent !== 'given') throw new Error(`${name} was not accepted.`)
      try {
        return expandVariables(definition, {
          env: scope === 'user' ? env() : projectEnv(),
          userHome,
          ...(scope === 'project' && { workspaceFolder: base }),
        })
      } catch (error) {
        throw error instanceof CodedError ? new CodedError(error.code, `${name}: ${error.message}`) : error
      }
    },
    close() {
      for (const stop of watched.values()) stop()
      watched.clear()
    },
  }
}

interface Origin {
  file: string
  base: string
  consent: ConfiguredServer['consent']
  folder?: string
  choices?: Choices
}

function configured(scope: 'user' | 'project', server: WrittenServer, { file, base, consent, folder, choices }: Origin): ConfiguredServer {
  const definition = choices ? withChoices(server.definition, choices[server.name]) : server.definition
  return {
    serverId: serverIdOf(scope, server.name, folder),
    name: server.name,
    scope,
    file,
    line: server.line,
    definition,
    hash: definitionHash(definition, base),
    base,
    consent,
  }
}
