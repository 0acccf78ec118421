import { realpathSync } from 'node:fs'
import { nearest } from '../../../shared/nearest'
import { CodedError } from '../../../shared/errors'
import { errorAsJson } from '../../console/report'
import { UsageError, type Parsed } from '../../console/parse-command'
import { openConfig } from '../../engine/config/config'
import { resolveHome } from '../../engine/config/home'
import { agentTrace } from '../../engine/runtime/agent-trace'
import {
  TOOL_SEARCH,
  TOOL_SEARCH_RANGES,
  type ToolSearchSettings,
} from '../../engine/config/agent-settings/mcp-settings'

type Name = keyof ToolSearchSettings
const NAMES = Object.keys(TOOL_SEARCH.fields) as Name[]
const PREFIX = 'toolSearch.'

/**
 * `trestle settings [name [value]]`: shows and changes settings of tool search, in config.toml. Returns 0, or 2 when
 * the file cannot be used.
 */
export async function settingsMain({ positionals, values }: Parsed): Promise<number> {
  const [written, text] = positionals
  const name = written === undefined ? undefined : nameOf(written)
  const value = name !== undefined && text !== undefined ? valueOf(name, text) : undefined
  const home = realpathSync(resolveHome())
  const trace = value === undefined ? undefined : await agentTrace({ home })
  if (trace !== undefined) {
    process.stderr.write(
      `trestle: only you can change settings, and ${trace}. Use the app, or a terminal of your own.\n`,
    )
    return 2
  }
  const config = await openConfig({ home })
  try {
    if (name !== undefined && value !== undefined) {
      await config.edit([{ path: ['tool_search', TOOL_SEARCH.fields[name].key], value }])
    }
    const settings = config.settings.toolSearch
    const shown = (name === undefined ? NAMES : [name]).map((each) => [`${PREFIX}${each}`, settings[each]] as const)
    const lines =
      values['json'] === true
        ? [JSON.stringify(Object.fromEntries(shown))]
        : shown.map(([key, now]) => (name === undefined ? `${key} ${now}` : String(now)))
    process.stdout.write(`${lines.join('\n')}\n`)
    return 0
  } catch (error) {
    if (!(error instanceof CodedError)) throw error
    if (values['json'] === true) process.stdout.write(errorAsJson(error))
    process.stderr.write(`trestle: ${error.message}\n`)
    return 2
  } finally {
    config.close()
  }
}

function nameOf(written: string): Name {
  const name = NAMES.find((each) =>
    [`${PREFIX}${each}`, `tool_search.${TOOL_SEARCH.fields[each].key}`].includes(written),
  )
  if (name) return name
  const all = NAMES.map((each) => `${PREFIX}${each}`)
  const [near] = nearest(written, all, 1)
  throw new UsageError(
    'There is no setting ' +
      `"${written}"${near === undefined ? '' : `; did you mean ${near}?`}${near === undefined ? '.' : ''} ` +
      `There are: ${all.join(', ')}. Everything else is in config.toml.`,
    'settings',
  )
}

function valueOf(name: Name, text: string): boolean | number {
  if (name === 'enabled') {
    if (text === 'true' || text === 'false') return text === 'true'
    throw new UsageError(`${PREFIX}${name} is true or false, not "${text}".`, 'settings')
  }
  const { min, max, whole } = { whole: true, ...TOOL_SEARCH_RANGES[name] }
  const number = text.trim() === '' ? Number.NaN : Number(text)
  if (number >= min && number <= max && (!whole || Number.isInteger(number))) return number
  throw new UsageError(
    `${PREFIX}${name} is a ${whole ? 'whole ' : ''}number from ${min} to ${max}, not "${text}".`,
    'settings',
  )
}
