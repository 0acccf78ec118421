import { join } from 'node:path'
import { errorText } from '../../../shared/error-text'
import { CodedError } from '../../../shared/errors'
import { writeFailure } from './write-failure'
import type { ConfigProblem } from '../../../shared/configuration/settings'
import type { TomlEdit } from './toml/edit-toml'
import { parseConfig, locateMistakes, readConfigText, type ConfigText } from './read-config-file'
import { locateHooks } from './agent-settings/hook-settings'
import { locateRules, unreadableRules, readPermissionRules } from './agent-settings/permission-settings'
import { readSettings } from './settings/read-settings'
import { DEFAULT_SETTINGS, type Settings } from './settings/settings'
import { thresholdMistake } from './agent-settings/mcp-settings'
import { watchConfigFile } from './watch-file'
import { writePrivateFile } from './write-private-file'
import type { PermissionRule } from '../permission/permission-rule'
import { TableReader, type Mistake } from './toml/table-reader'

/** The user's current configuration, `$home/config.toml`. */
export interface Config {
  readonly file: string
  /** Defaults for missing or invalid keys. If the file stops parsing at run time, the last valid settings stay. */
  readonly settings: Settings
  /** Problems in the file, in line order, and in the environment variables that override it. */
  readonly problems: readonly ConfigProblem[]
  /** Calls `listener` after settings or problems change. Returns a function to stop listening. */
  onChange(listener: () => void): () => void
  /**
   * Applies only these edits (see `editToml`) to what is on disk at that moment; resolves when `settings` reflects
   * them. Throws CodedError `config.write_failed`, leaving the file unchanged. A file that does not parse is never
   * written.
   */
  edit(edits: readonly TomlEdit[]): Promise<void>
  /** Replaces the file's text with the result of `change`; otherwise like `edit`. */
  rewrite(change: (text: string) => string): Promise<void>
  /** Appends rules that allow these patterns; otherwise like `edit`. */
  allow(patterns: readonly string[]): Promise<void>
  close(): void
}

/**
 * Reads the configuration. Never fails for a missing or broken file. With `watch`, follows changes on disk until
 * `close`.
 */
export async function openConfig({
  home,
  watch = false,
  env = process.env,
}: {
  home: string
  watch?: boolean
  env?: NodeJS.ProcessEnv
}): Promise<Config> {
  const file = join(home, 'config.toml')
  const listeners = new Set<() => void>()
  let settings: Settings = DEFAULT_SETTINGS
  let problems: ConfigProblem[] = []
  let shown: ConfigText | undefined
  let closed = false

  const load = async (): Promise<void> => {
    const found = readConfigText(file)
    if (shown !== undefined && sameText(found, shown)) return
    const { table, problems: syntax } = parseConfig(found, file)
    const read = table && readSettings(table, file)
    const placed = read && 'text' in found ? await locateMistakes(read.mistakes, found.text, file) : []
    const rules = read && 'text' in found ? await locateRules(read.settings.permission.rules, found.text) : []
    const hooks = read && 'text' in found ? await locateHooks(read.settings.hooks, found.text) : []
    const first = shown === undefined
    shown = found
    if (read) settings = { ...read.settings, permission: { rules }, hooks }
    // Its rules are unknown and could forbid anything.
    else if (first)
      settings = {
        ...settings,
        permission: { rules: [unreadableRules({ scope: 'user', file }, 'the file does not parse', syntax[0])] },
      }
    const threshold = thresholdMistake(env)
    problems = [...syntax, ...placed, ...(threshold === undefined ? [] : [{ file, message: threshold }])]
  }
  // Loads and edits run one at a time, so that each sees the result of the previous one.
  let last: Promise<void> = load()
  const inTurn = (run: () => Promise<void>): Promise<void> => {
    const next = last.then(run)
    last = next.catch(() => undefined)
    return next
  }
  const reload = async (): Promise<void> => {
    const before = shown
    await load()
    if (shown !== before && !closed) for (const listener of listeners) listener()
  }
  // Watching starts before the first read, so that no change in between is missed.
  const stop = watch ? watchConfigFile(file, () => void inTurn(reload)) : undefined
  await last

  return {
    file,
    get settings() {
      return settings
    },
    get problems() {
      return problems
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    edit: (edits) =>
      inTurn(async () => {
        const { editToml } = await import('./toml/edit-toml')
        writeEdited(file, (text) => editToml(text, edits))
        await reload()
      }),
    rewrite: (change) =>
      inTurn(async () => {
        writeEdited(file, change)
        await reload()
      }),
    allow: (patterns) =>
      inTurn(async () => {
        const { appendRules } = await import('./toml/edit-toml')
        writeEdited(file, (text) => appendRules(text, patterns))
        await reload()
      }),
    close() {
      closed = true
      stop?.()
    },
  }
}

function writeEdited(file: string, change: (text: string) => string): void {
  for (let attempt = 1; ; attempt += 1) {
    const found = readConfigText(file)
    if ('problem' in found) throw new CodedError('config.write_failed', `${file}: ${found.problem.message}`)
    const before = 'text' in found ? found.text : ''
    const after = change(before)
    if (after === before) return
    // The file may have been saved elsewhere while the change was computed.
    if (!sameText(readConfigText(file), found) && attempt < 5) continue
    try {
      writePrivateFile(file, after)
      return
    } catch (error) {
      const reason = errorText(error)
      throw writeFailure(`${file} could not be written: ${reason}`, error)
    }
  }
}

function sameText(a: ConfigText, b: ConfigText): boolean {
  return JSON.stringify(a) === JSON.stringify(b)
}

/**
 * The rules of a file in the format of config.toml, treated as the user's own. Ignores everything else in it. Never
 * fails.
 */
export async function readRulesFile(file: string): Promise<{ rules: PermissionRule[]; problems: ConfigProblem[] }> {
  const found = readConfigText(file)
  if ('missing' in found) return { rules: [], problems: [{ file, message: 'There is no such file.' }] }
  const { table, problems } = parseConfig(found, file)
  if (!table || !('text' in found)) return { rules: [], problems }
  const mistakes: Mistake[] = []
  const top = new TableReader(table, mistakes)
  const rules = readPermissionRules(top.table('permission'), { scope: 'user', file })
  return { rules: await locateRules(rules, found.text), problems: await locateMistakes(mistakes, found.text, file) }
}
