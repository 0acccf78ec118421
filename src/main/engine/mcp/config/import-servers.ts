import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { basename, sep } from 'node:path'
import { CodedError } from '../../../../shared/errors'
import type {
  McpServerDefinition,
  McpImportPreview,
  McpImportRequest,
  McpImportServer,
} from '../../../../shared/configuration/customize/mcp'
import { readConfigText } from '../../config/read-config-file'
import { realFolder } from './find-servers'
import type { DefinitionProblem } from './definition-reader'
import { isRecord } from '../../../../shared/json-fields'
import { describeServer, maskUrl, maskSecrets } from './describe-server'
import { readDefinition } from './read-definition'
import { nameProblem } from './read-servers'
import type { McpConfig } from './configured-server'
import {
  importPlaces,
  type ImportPlace,
  type Machine,
  readImport,
  readPasted,
  type FoundImport,
  type FoundServer,
  type ImportInput,
} from './import-sources'

/** Finds servers of other products and imports some into the user's own file. */
export interface McpImports {
  /** The servers of other products, including those in `folder`. Only reads files. */
  find(folder?: string): Promise<McpImportPreview[]>
  /** The servers in pasted text. */
  preview(text: string): Promise<McpImportPreview>
  /**
   * Writes the chosen servers. Throws `config.changed` when a file differs from what was shown, `request.invalid` with
   * the field for anything else that is wrong; nothing is written in either case.
   */
  apply(request: McpImportRequest): Promise<void>
}

/** Files of other products contain more than just servers. */
const MAX_BYTES = 64 * 1024 * 1024
const MAX_IMPORTED_SERVERS = 500
const PASTED = 'pasted'

export interface ImportsDeps {
  machine: Machine
  config: Pick<McpConfig, 'read' | 'addAll'>
}

export function createImports({ machine, config }: ImportsDeps): McpImports {
  /** Every file that was read, so that a request can name it. */
  const known = new Map<string, ImportPlace>()

  async function previewsOf(
    place: Pick<ImportPlace, 'sourceId' | 'product' | 'folder'> & { file?: string },
    text: string,
    found: FoundImport,
  ): Promise<McpImportPreview[]> {
    const own = (await config.read()).servers
    // Claude Code keeps the servers of many projects in one file.
    const folders = [...new Set(found.servers.map((server) => server.folder ?? place.folder))]
    if (folders.length === 0) folders.push(place.folder)
    return folders.map((folder, index) => ({
      sourceId: place.sourceId,
      product: place.product,
      ...(place.file !== undefined && { file: place.file }),
      ...(folder !== undefined && { folder }),
      hash: hashOf(text),
      servers: keyed(found.servers)
        .filter(({ server }) => (server.folder ?? place.folder) === folder)
        .map(({ key, server }) => {
          const same = own.find(({ name }) => name === server.name)
          const names = own.map(({ name }) => name)
          // Servers from a project or from pasted text were written by others, so all of their definition is shown.
          const isOwn = place.folder === undefined && place.sourceId !== PASTED
          return shown({ key, server, found, folder, isOwn }, same?.definition, names)
        }),
      problems: index === 0 ? found.problems : [],
    }))
  }

  return {
    async find(folder) {
      const previews = importPlaces(machine, folder).map(async (place) => {
        known.set(place.sourceId, place)
        const there = read(place)
        if (!there || (there.found.servers.length === 0 && there.found.problems.length === 0)) return []
        return previewsOf(place, there.text, there.found)
      })
      return (await Promise.all(previews)).flat()
    },
    async preview(text) {
      const [preview] = await previewsOf({ sourceId: PASTED, product: 'Pasted' }, text, { ...readPasted(text) })
      return preview!
    },
    async apply({ sourceId, hash, text: pasted, servers }) {
      const place = known.get(sourceId)
      const there = sourceId === PASTED ? { text: pasted ?? '', found: readPasted(pasted ?? '') } : place && read(place)
      if (!there) throw new CodedError('request.invalid', 'sourceId: Import source not found.')
      if (hashOf(there.text) !== hash)
        throw new CodedError('config.changed', `${place?.file ?? 'The text'} is not what was shown.`)
      const all = keyed(there.found.servers)
      const chosen = servers.map(({ key, name, replace = false, values = {} }) => {
        const mistake = nameProblem(name)
        if (mistake !== undefined) throw new CodedError('request.invalid', `name: ${mistake}`)
        const one = all.find((candidate) => candidate.key === key)
        if (!one) throw new CodedError('request.invalid', `key: There is no server ${key} there.`)
        const raw = fillInputs(
          withProject(one.server.raw, one.server.folder ?? place?.folder),
          there.found.inputs,
          values,
        )
        const problems: DefinitionProblem[] = []
        const definition = readDefinition(raw, problems)
        if (!definition)
          throw new CodedError(
            'request.invalid',
            `key: ${one.server.name} cannot be used: ${problems.find(({ fatal }) => fatal)!.message}`,
          )
        return { name, definition, replace }
      })
      await config.addAll(chosen)
    },
  }
}

function read(place: ImportPlace): { text: string; found: FoundImport } | undefined {
  const found = readConfigText(place.file, {
    mostBytes: MAX_BYTES,
    ...(place.folder !== undefined && { within: realFolder(place.folder) }),
  })
  if ('missing' in found) return undefined
  if ('problem' in found) return { text: '', found: { servers: [], inputs: [], problems: [found.problem.message] } }
  return { text: found.text, found: readImport(found.text, place.format) }
}

function keyed(servers: readonly FoundServer[]): { key: string; server: FoundServer }[] {
  return servers.slice(0, MAX_IMPORTED_SERVERS).map((server, index) => ({ key: `${index}:${server.name}`, server }))
}

interface Shown {
  key: string
  server: FoundServer
  found: FoundImport
  folder: string | undefined
  isOwn: boolean
}

function shown(
  { key, server, found, folder, isOwn }: Shown,
  own: McpServerDefinition | undefined,
  names: readonly string[],
): McpImportServer {
  const { name, notes } = server
  const problems: DefinitionProblem[] = []
  const raw = withProject(server.raw, folder)
  const definition = readDefinition(fillInputs(raw, found.inputs, {}), problems)
  const mistake = nameProblem(name)
  const messages = problems.map(({ path, message }) => [path.join('.'), message].filter(Boolean).join(' '))
  const state =
    definition === undefined ? 'unusable' : own === undefined ? 'new' : isSame(own, definition) ? 'same' : 'clash'
  return {
    key,
    name,
    lines: definition
      ? describeServer(
          { name, line: 1, words: '', definition: isOwn ? masked(definition) : definition },
          { isOwn },
        ).map((line) => line.slice(name.length + 2))
      : [],
    state,
    freeName: freeName(mistake === undefined ? name : 'server', names),
    notes: [...notes, ...messages, ...(mistake === undefined ? [] : [mistake])],
    inputs: inputsOf(raw, found.inputs),
  }
}

function masked(definition: McpServerDefinition): McpServerDefinition {
  if (definition.transport !== 'stdio') return { ...definition, url: maskUrl(definition.url) }
  const [command, ...args] = maskSecrets([definition.command, ...definition.args])
  return { ...definition, command: command!, args }
}

function isSame(own: McpServerDefinition, other: McpServerDefinition): boolean {
  return isDeepStrictEqual({ ...own, enabled: true, disabledTools: [] }, { ...other, enabled: true, disabledTools: [] })
}

function freeName(name: string, taken: readonly string[]): string {
  if (!taken.includes(name)) return name
  for (let n = 2; ; n += 1) if (!taken.includes(`${name.slice(0, 60)}-${n}`)) return `${name.slice(0, 60)}-${n}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** `${input:id}` of VS Code. */
const INPUT = /\$\{input:([^}]+)\}/g

/** A server with its project's path filled in, because it no longer belongs to a project. */
function withProject(raw: unknown, folder: string | undefined): unknown {
  if (folder === undefined) return raw
  const changed = mapTexts(raw, (text) =>
    text
      .replaceAll('${workspaceFolder}', folder)
      .replaceAll('${workspaceFolderBasename}', basename(folder))
      .replace(/\$\{(?:pathSeparator|\/)\}/g, sep),
  )
  return isRecord(changed) && changed['command'] !== undefined && changed['cwd'] === undefined
    ? { ...changed, cwd: folder }
    : changed
}

/** Fills in what the user entered; an empty entry becomes the file's default, or an environment variable. */
function fillInputs(raw: unknown, inputs: readonly ImportInput[], values: Readonly<Record<string, string>>): unknown {
  return mapTexts(raw, (text) =>
    text.replace(INPUT, (_whole, id: string) => {
      const typed = Object.hasOwn(values, id) ? values[id] : undefined
      const fallback = inputs.find((input) => input.id === id)?.fallback
      return typed || (fallback ?? `\${${variableFor(id)}}`)
    }),
  )
}

/** The values this server asks for, without duplicates. */
function inputsOf(raw: unknown, inputs: readonly ImportInput[]): McpImportServer['inputs'] {
  const ids = new Set<string>()
  mapTexts(raw, (text) => {
    for (const [, id] of text.matchAll(INPUT)) ids.add(id!)
    return text
  })
  return [...ids].map((id) => {
    const { label, isSecret, fallback } = inputs.find((input) => input.id === id) ?? { label: id, isSecret: true }
    return { id, label, isSecret, ...(fallback === undefined ? { variable: variableFor(id) } : { fallback }) }
  })
}

function variableFor(id: string): string {
  return id
    .toUpperCase()
    .replace(/\W/g, '_')
    .replace(/^(?=\d)/, '_')
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, change))
  return isRecord(value)
    ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, change)]))
    : value
}
