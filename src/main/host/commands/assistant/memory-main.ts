import { realpathSync } from 'node:fs'
import { CodedError } from '../../../../shared/errors'
import {
  type MemoryContent,
  type MemoryEntry,
  type MemoryFilter,
  memoryAsMarkdown,
  memoryPlace,
} from '../../../../shared/model/assistant/memory'
import { oneLine, table } from '../../../console/output'
import { parseAction, refuseAgents, type ActionSpec } from '../../../console/parse-action'
import { UsageError, type Parsed } from '../../../console/parse-command'
import { reportStart } from '../../../console/report'
import { createEngine } from '../../../engine/engine'
import type { Engine } from '../../../engine/engine-api'

const PLACE = ['project', 'everywhere'] as const
const ACTIONS = {
  list: { options: ['json', 'limit', 'deleted', 'category', ...PLACE], words: [0, 0], takes: 'no arguments' },
  search: { options: ['json', 'limit', 'deleted', 'category', ...PLACE], words: [1, 20], takes: 'words to search for' },
  show: { options: ['json'], words: [1, 1], takes: 'the number of an entry' },
  add: { options: ['json', 'category', ...PLACE], words: [2, 2], takes: 'a key and a text', humanOnly: true },
  edit: {
    options: ['json', 'key', 'text', 'category', ...PLACE],
    words: [1, 1],
    takes: 'the number of an entry',
    humanOnly: true,
  },
  delete: { options: ['json'], words: [1, 1000], takes: 'the numbers of entries', humanOnly: true },
  restore: { options: ['json'], words: [1, 1000], takes: 'the numbers of entries', humanOnly: true },
  export: { options: ['json', ...PLACE], words: [0, 0], takes: 'no arguments' },
} satisfies Record<string, ActionSpec>

/** Entries read at a time for an export. */
const PAGE = 1000

/** `trestle memory`: shows and changes remembered entries. Returns the exit code: 0, or 2 when it is not allowed. */
export async function memoryMain(parsed: Parsed, version: string): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('memory', ACTIONS, parsed)
  const { humanOnly }: ActionSpec = ACTIONS[action]
  if (humanOnly && (await refuseAgents(`memory ${action}`))) return 2
  const { values } = parsed
  const isJson = values['json'] === true
  const say = (json: unknown, text: string): void =>
    void process.stdout.write(isJson ? `${JSON.stringify(json)}\n` : text)
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  const { memory } = engine
  try {
    reportStart(engine)
    switch (action) {
      case 'list':
      case 'search': {
        const filter = { ...filterOf(values), ...(words.length > 0 && { query: words.join(' ') }) }
        const page = await memory.list(filter, 0, limitOf(values['limit']))
        say(page, listText(page.entries, page.total, filter))
        break
      }
      case 'show': {
        const details = await memory.details(numberOf(words[0]!))
        const { entry, versions, source } = details
        const from =
          source &&
          'From the session ' +
            `${source.title ?? source.sessionId}${source.message === undefined ? '' : `: ${oneLine(source.message)}`}\n`
        const history = versions.map(({ at, change, author, text }) => [
          when(at),
          `${change} by ${author}`,
          oneLine(text),
        ])
        say(
          details,
          `${entry.key} (${memoryPlace(entry)})\n${entry.text}\n` +
            `${from ?? ''}\n${table(['When', 'What', 'Text'], history)}`,
        )
        break
      }
      case 'add': {
        const [key = '', text = ''] = words
        const entry = await memory.add({ key, text, ...categoryOf(values), ...placeOf(values) })
        say(entry, `Remembered as number ${entry.id}: ${oneLine(entry.key)}\n`)
        break
      }
      case 'edit': {
        const id = numberOf(words[0]!)
        const options = ['key', 'text', 'category', 'project', 'everywhere']
        if (options.every((name) => values[name] === undefined))
          throw wrong(`Say what to change: ${options.map((name) => `--${name}`).join(', ')}.`)
        const { entry } = await memory.details(id)
        const changed = await memory.change(id, edited(entry, values))
        say(changed, `Changed number ${changed.id}: ${oneLine(changed.key)}\n`)
        break
      }
      case 'delete': {
        const ids = words.map(numberOf)
        const deleted = await memory.remove(ids)
        if (deleted === 0)
          throw new CodedError('memory.not_found', `There is no memory with the number ${ids.join(', ')}.`)
        say({ deleted }, `Deleted ${deleted} of ${ids.length}. To restore: trestle memory restore ${ids.join(' ')}\n`)
        break
      }
      case 'restore': {
        const ids = words.map(numberOf)
        const restored = await memory.restore(ids)
        say({ restored }, `Restored ${restored} of ${ids.length}.\n`)
        break
      }
      case 'export': {
        const entries = await allEntries(engine, filterOf(values))
        say(entries, memoryAsMarkdown(entries))
      }
    }
    return 0
  } finally {
    await engine.close()
  }
}

async function allEntries({ memory }: Engine, filter: MemoryFilter): Promise<MemoryEntry[]> {
  const entries: MemoryEntry[] = []
  for (;;) {
    const page = await memory.list({ ...filter, order: 'key' }, entries.length, PAGE)
    entries.push(...page.entries)
    if (page.entries.length === 0 || entries.length >= page.total) return entries
  }
}

type Values = Parsed['values']

function filterOf(values: Values): MemoryFilter {
  const { folder } = placeOf(values)
  const scope = folder ?? (values['everywhere'] === true ? 'everywhere' : undefined)
  return {
    ...(scope !== undefined && { scope }),
    ...categoryOf(values),
    ...(values['deleted'] === true && { deleted: true }),
  }
}

/** Where an entry applies: in the project of `--project`, otherwise everywhere. */
function placeOf({ project, everywhere }: Values): { folder?: string } {
  if (typeof project !== 'string') return {}
  if (everywhere === true) throw wrong('--project and --everywhere cannot be combined.')
  try {
    return { folder: realpathSync(project) }
  } catch {
    throw wrong(`--project: there is no folder ${project}.`)
  }
}

function categoryOf({ category }: Values): { category?: string } {
  return typeof category === 'string' ? { category } : {}
}

function edited({ key, text, category, folder }: MemoryEntry, values: Values): MemoryContent {
  const { key: newKey, text: newText } = values
  const moves = values['project'] !== undefined || values['everywhere'] === true
  const place = moves ? placeOf(values) : folder === undefined ? {} : { folder }
  return {
    key: typeof newKey === 'string' ? newKey : key,
    text: typeof newText === 'string' ? newText : text,
    ...(category !== undefined && { category }),
    ...categoryOf(values),
    ...place,
  }
}

function listText(entries: readonly MemoryEntry[], total: number, { query, deleted }: MemoryFilter): string {
  if (entries.length === 0)
    return deleted ? 'Nothing was deleted.\n' : query === undefined ? 'No memories yet.\n' : 'Nothing was found.\n'
  const rows = entries.map((entry) => [String(entry.id), oneLine(entry.key), memoryPlace(entry), oneLine(entry.text)])
  const more = total > entries.length ? `${total - entries.length} more; --limit shows them.\n` : ''
  return table(['Number', 'Key', 'Where', 'Text'], rows) + more
}

function when(ms: number): string {
  return new Date(ms).toISOString().slice(0, 16).replace('T', ' ')
}

function numberOf(word: string): number {
  if (/^[1-9]\d{0,14}$/.test(word)) return Number(word)
  throw wrong(`${JSON.stringify(word)} is not the number of an entry; trestle memory list shows them.`)
}

function limitOf(value: Values[string]): number {
  if (value === undefined) return 50
  if (typeof value === 'string' && /^[1-9]\d{0,3}$/.test(value) && Number(value) <= PAGE) return Number(value)
  throw wrong(`--limit is a whole number from 1 to ${PAGE}; not "${String(value)}".`)
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'memory')
}
