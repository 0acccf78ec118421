import { CodedError } from '../../../../shared/errors'
import type { McpServerDefinition, McpServerInput } from '../../../../shared/configuration/customize/mcp'
import type { JsonEdit } from '../../config/json/edit-json'
import { writeKeepingTrust } from '../../trust/trust-state'
import { watchConfigFile } from '../../config/watch-file'
import type { McpPlace } from './configured-server'
import type { ConfiguredServer, McpConfig } from './configured-server'
import type { ActivePlugins } from '../../plugin/active-plugins'
import type { DefinitionProblem } from './definition-reader'
import { expandVariables } from './expand-variables'
import {
  pluginServers,
  projectFile,
  projectServers,
  realFolder,
  userFile,
  userServers,
  writeChoice,
} from './find-servers'
import { serverEdits, withoutSecrets, writeServers } from './write-servers'

export interface McpConfigDeps {
  home: string
  userHome: string
  /** Values of environment variables for the user's own servers. */
  env(): Readonly<Record<string, string | undefined>>
  /** The same for servers of projects, without keys and hidden names. */
  projectEnv(): Readonly<Record<string, string | undefined>>
  /** Whether files are watched. */
  watch: boolean
  now(): number
  /** The plugins that are currently active in a folder. */
  plugins?: ActivePlugins
  /** Called when a folder's configuration, or the trust in it, has changed. */
  onTrust(folder: string): void
}

/** Maximum number of watched folders; in other folders, a change is noticed at the next use. */
const MAX_WATCHED = 32

/** The files that define servers: `mcp.json` of the home, and `.mcp.json` of projects. */
export function createMcpConfig(deps: McpConfigDeps): McpConfig {
  const { home, userHome, env, projectEnv, watch, now, plugins, onTrust } = deps
  const listeners = new Set<() => void>()
  const watched = new Map<string, () => void>()
  const notifyListeners = (): void => {
    for (const listener of listeners) listener()
  }

  function follow(file: string, folder?: string): void {
    if (!watch || watched.has(file)) return
    const changed = (): void => {
      if (folder !== undefined) onTrust(folder)
      notifyListeners()
    }
    watched.set(file, watchConfigFile(file, changed))
    for (const [oldest, stop] of watched) {
      if (watched.size <= MAX_WATCHED) return
      if (oldest === userFile(home)) continue
      stop()
      watched.delete(oldest)
    }
  }

  // One at a time, so that each sees the result of the previous one.
  let last: Promise<void> = Promise.resolve()
  function change(place: McpPlace, editsFor: (text: string) => JsonEdit[]): Promise<void> {
    const next = last.then(() => changeNow(place, editsFor))
    last = next.catch(() => undefined)
    return next
  }

  async function changeNow(place: McpPlace, editsFor: (text: string) => JsonEdit[]): Promise<void> {
    if (place.scope === 'user') await writeServers(userFile(home), { isPrivate: true }, editsFor)
    else {
      const folder = realFolder(place.folder)
      const file = projectFile(folder)
      await writeKeepingTrust(home, folder, file, now, () =>
        writeServers(file, { isPrivate: false, within: folder }, editsFor),
      )
      onTrust(folder)
    }
    notifyListeners()
  }

  async function setSwitches(
    server: ConfiguredServer,
    switched: (definition: McpServerDefinition) => McpServerDefinition,
  ): Promise<void> {
    const { scope, name, folder, definition } = server
    if (scope === 'session')
      throw new CodedError('request.invalid', `${name} was brought along by the editor: switch it there.`)
    if (scope === 'project') {
      const { enabled, disabledTools } = switched(definition)
      writeChoice(home, realFolder(folder!), name, { enabled, disabledTools: [...disabledTools] })
      notifyListeners()
      return
    }
    const { writtenServer } = await import('./read-servers')
    await change({ scope, name }, (text) => {
      const before = writtenServer(text, name)
      return before ? switchEdits(['mcpServers', name], before, switched(before)) : []
    })
  }

  return {
    async read(folder) {
      follow(userFile(home))
      const own = await userServers(home)
      if (folder === undefined) return own
      const real = realFolder(folder)
      follow(projectFile(real), real)
      const project = await projectServers(home, real)
      const written = [...own.servers, ...project.servers]
      const active = (await plugins?.(real)) ?? []
      for (const { servers, recordFile } of active) if (servers !== undefined) follow(recordFile)
      const brought = await pluginServers(home, real, active, written)
      return {
        servers: [...written, ...brought.servers],
        problems: [...project.problems, ...own.problems, ...brought.problems],
      }
    },
    expand({ definition, scope, folder, isAccepted, name }) {
      if (!isAccepted) throw new Error(`${name} was not accepted.`)
      try {
        return expandVariables(definition, {
          env: scope === 'user' ? env() : projectEnv(),
          userHome,
          ...(folder !== undefined && { workspaceFolder: folder }),
        })
      } catch (error) {
        throw error instanceof CodedError ? new CodedError(error.code, `${name}: ${error.message}`) : error
      }
    },
    input: ({ definition }) => withoutSecrets(definition),
    async save(place, definition, previousName) {
      const { name } = place
      const { nameProblem, writtenNames, writtenServer } = await import('./read-servers')
      const mistake = nameProblem(name)
      if (mistake !== undefined) throw new CodedError('request.invalid', `name: ${mistake}`)
      await checkUsable(definition)
      await change(place, (text) => {
        const isMoved = previousName !== undefined && previousName !== name
        if (previousName !== name && writtenNames(text).includes(name))
          throw new CodedError('request.invalid', `name: There is a server ${name} already.`)
        const before = writtenServer(text, previousName ?? name)
        return [
          ...(isMoved ? [{ path: ['mcpServers', previousName], rename: name }] : []),
          ...serverEdits(['mcpServers', name], definition, before),
        ]
      })
    },
    async addAll(added) {
      const { writtenNames } = await import('./read-servers')
      await change({ scope: 'user', name: '' }, (text) => {
        const taken = writtenNames(text)
        return added.flatMap(({ name, definition, replace }) => {
          if (taken.includes(name) && !replace)
            throw new CodedError('request.invalid', `name: There is a server ${name} already.`)
          taken.push(name)
          return serverEdits(['mcpServers', name], definition, undefined)
        })
      })
    },
    remove: (place) => change(place, () => [{ path: ['mcpServers', place.name], remove: true }]),
    setEnabled: (server, enabled) => setSwitches(server, (definition) => ({ ...definition, enabled })),
    setToolEnabled: (server, tool, enabled) =>
      setSwitches(server, (definition) => ({
        ...definition,
        disabledTools: [...definition.disabledTools.filter((name) => name !== tool), ...(enabled ? [] : [tool])],
        ...(definition.enabledTools && enabled && { enabledTools: [...new Set([...definition.enabledTools, tool])] }),
      })),
    onChange: (listener) => void listeners.add(listener),
    trustChanged: notifyListeners,
    close() {
      for (const stop of watched.values()) stop()
      watched.clear()
    },
  }
}

/**
 * Refuses a definition that would be unusable when read back: it would be ignored without notice. Throws
 * `request.invalid`.
 */
async function checkUsable(definition: McpServerInput): Promise<void> {
  const { readDefinition } = await import('./read-definition')
  const written =
    definition.transport === 'stdio'
      ? {
          type: 'stdio',
          command: definition.command,
          args: definition.args,
          env: values(definition.env),
          cwd: definition.cwd,
          sandbox: definition.sandbox,
        }
      : { type: definition.transport, url: definition.url, headers: values(definition.headers) }
  const problems: DefinitionProblem[] = []
  readDefinition(written, problems)
  const fatal = problems.find((problem) => problem.fatal)
  if (fatal) throw new CodedError('request.invalid', [fatal.path.join('.'), fatal.message].filter(Boolean).join(': '))
}

/**
 * The values for a trial read. Null (keep the current value) becomes an empty text: current values were validated when
 * they were read.
 */
function values(given: Readonly<Record<string, string | null>>): Record<string, string> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? '']))
}

/** Only the enabled and disabled settings; everything else in the definition stays exactly as written. */
function switchEdits(path: readonly string[], before: McpServerDefinition, after: McpServerDefinition): JsonEdit[] {
  const edits: JsonEdit[] = []
  const set = (key: string, value: unknown): void =>
    void edits.push(value === undefined ? { path: [...path, key], remove: true } : { path: [...path, key], value })
  if (before.enabled !== after.enabled) {
    set('disabled', undefined)
    set('enabled', after.enabled ? undefined : false)
  }
  if (before.disabledTools.join('\n') !== after.disabledTools.join('\n'))
    set('disabledTools', after.disabledTools.length > 0 ? after.disabledTools : undefined)
  if (after.enabledTools && before.enabledTools?.length !== after.enabledTools.length)
    set('enabledTools', after.enabledTools)
  return edits
}
