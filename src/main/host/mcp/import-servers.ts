import { createInterface } from 'node:readline/promises'
import { text } from 'node:stream/consumers'
import { editorOutput, oneLine } from '../../console/output'
import { CodedError } from '../../../shared/errors'
import type { McpImportPreview, McpImportRequest, McpImportServer } from '../../../shared/configuration/customize/mcp'
import { usageError, type McpAction } from './mcp-action'

type Chosen = { preview: McpImportPreview; servers: McpImportServer[]; pasted?: string }

/**
 * `trestle mcp import [FROM [NAME...]]`: shows the servers of another product's configuration, and imports them after
 * confirmation.
 */
export async function importServers(asked: McpAction): Promise<number> {
  const { mcp, folder, words, isJson, values, signal } = asked
  const [from, ...names] = words
  if (from === undefined) {
    const previews = await mcp.imports(folder)
    say(isJson ? `${JSON.stringify(previews)}\n` : overview(previews))
    return 0
  }
  const chosen = await choose(asked, from, names)
  const taken = chosen.filter(({ servers }) => servers.length > 0)
  if (!isJson) say(chosen.map(({ preview }) => shown(preview)).join('\n'))
  if (taken.length === 0) {
    if (isJson) say(`${JSON.stringify(chosen.map(({ preview }) => preview))}\n`)
    else say('There is nothing to import from it.\n')
    // An unreadable file is a failure; an existing server is not.
    return chosen.some(({ preview }) => preview.problems.length > 0 && preview.servers.length === 0) ? 1 : 0
  }
  const wanted = taken.flatMap(({ servers }) => servers.map(({ name }) => name)).join(', ')
  if (values['yes'] !== true && !(await agreed(wanted, signal))) {
    if (isJson) say(`${JSON.stringify(chosen.map(({ preview }) => preview))}\n`)
    else say(`Nothing was written. To take over ${wanted}, add --yes.\n`)
    return 0
  }
  let list = await mcp.list(folder)
  for (const one of taken) list = await mcp.import(requestFor(one, values))
  say(isJson ? `${JSON.stringify(list)}\n` : `Took over ${wanted}. Try one with: trestle mcp test NAME\n`)
  return 0
}

/** The configuration that `FROM` names, and the selected servers. */
async function choose({ mcp, folder, values }: McpAction, from: string, names: string[]): Promise<Chosen[]> {
  const pasted = from === '-' ? await text(process.stdin) : undefined
  if (pasted?.trim() === '')
    throw usageError('Nothing came on stdin. Pipe the configuration in: trestle mcp import - < FILE.')
  const all = pasted === undefined ? await mcp.imports(folder) : [await mcp.previewImport(pasted)]
  const previews =
    pasted === undefined ? all.filter(({ product, file }) => file === from || plain(product) === plain(from)) : all
  if (previews.length === 0) {
    const found = [...new Set(all.map(({ product }) => product))]
    throw new CodedError(
      'request.invalid',
      `There is no configuration of "${from}". ` +
        (found.length === 0 ? 'No other product has any here.' : `There is: ${found.join(', ')}.`),
    )
  }
  const unknown = names.find((name) => !previews.some(({ servers }) => servers.some((server) => server.name === name)))
  if (unknown !== undefined) throw new CodedError('request.invalid', `"${from}" has no server "${unknown}".`)
  return previews.map((preview) => ({
    preview,
    servers: preview.servers.filter(
      ({ name, state }) => fits(state, values) && (names.length === 0 || names.includes(name)),
    ),
    ...(pasted !== undefined && { pasted }),
  }))
}

function fits(state: McpImportServer['state'], values: McpAction['values']): boolean {
  return state === 'new' || (state === 'clash' && values['replace'] === true)
}

function requestFor({ preview, servers, pasted }: Chosen, values: McpAction['values']): McpImportRequest {
  const given = valuesFrom(values['value'])
  const { sourceId, hash } = preview
  return {
    sourceId,
    hash,
    ...(pasted !== undefined && { text: pasted }),
    servers: servers.map(({ key, name, state, inputs }) => ({
      key,
      name,
      ...(state === 'clash' && { replace: true }),
      values: Object.fromEntries(inputs.flatMap(({ id }) => (given.has(id) ? [[id, given.get(id)!]] : []))),
    })),
  }
}

function valuesFrom(given: McpAction['values'][string]): Map<string, string> {
  const all = Array.isArray(given) ? given : given === undefined ? [] : [given]
  return new Map(
    all.map((one) => {
      const [id, ...value] = String(one).split('=')
      if (!id || value.length === 0) throw usageError(`"${String(one)}" has no value: --value ID=VALUE.`)
      return [id, value.join('=')]
    }),
  )
}

async function agreed(wanted: string, signal: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) return false
  const terminal = createInterface({ input: process.stdin, output: editorOutput(process.stderr) })
  // readline reads the keys, so Ctrl-C sends no signal: handle it as one.
  terminal.on('SIGINT', () => process.emit('SIGINT'))
  try {
    return /^y(es)?$/i.test((await terminal.question(`Take over ${oneLine(wanted)}? [y/N] `, { signal })).trim())
  } finally {
    terminal.close()
  }
}

function overview(previews: readonly McpImportPreview[]): string {
  if (previews.length === 0) return 'No other product has MCP servers here.\n'
  return (
    `${previews.map(shown).join('\n')}\nNothing was written. ` +
    'Take some over with: trestle mcp import PRODUCT [NAME...]\n'
  )
}

const STATES = {
  new: 'new',
  same: 'is here already',
  clash: 'another one of this name is here: --replace takes its place',
  unusable: 'cannot be used',
}

function shown({ product, file, servers, problems }: McpImportPreview): string {
  const lines = [`${product}${file === undefined ? '' : ` (${file})`}`, ...problems.map((problem) => `  ! ${problem}`)]
  for (const { name, state, lines: does, notes, inputs } of servers) {
    lines.push(
      `  ${name}: ${STATES[state]}`,
      ...does.map((line) => `      ${line}`),
      ...notes.map((note) => `    ! ${note}`),
    )
    for (const { id, label, variable } of inputs)
      lines.push(
        `    ? ${label}: --value ${id}=…${variable === undefined ? '' : `, else the environment variable ${variable}`}`,
      )
  }
  if (servers.length === 0 && problems.length === 0) lines.push('  has no servers')
  return `${lines.join('\n')}\n`
}

/** Normalizes a product's name: claude-code is Claude Code. */
function plain(product: string): string {
  return product.toLowerCase().replaceAll(/[^a-z0-9]/g, '')
}

function say(words: string): void {
  process.stdout.write(words)
}
