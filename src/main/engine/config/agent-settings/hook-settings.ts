import { errorText } from '../../../../shared/error-text'
import { HOOK_EVENTS, type HookView } from '../../../../shared/configuration/customize/customizations'
import type { TableReader } from '../toml/table-reader'
import { countOf, entryLines } from '../toml/parse-toml'

/** An effective `[[hooks]]` entry. */
export interface Hook extends HookView {
  /** The folder with the files of its plugin, which it can read. */
  pluginRoot?: string
}

const DEFAULT_TIMEOUT_S = 30

/** The `[[hooks]]` of a file. An entry without a valid event, matcher or command is reported and left out. */
export function readHooks(top: TableReader, origin: Pick<Hook, 'scope' | 'file'>): Hook[] {
  const hooks: Hook[] = []
  for (const { index, entry } of top.tableList('hooks') ?? []) {
    if (!entry) continue
    const event = entry.oneOf('event', HOOK_EVENTS)
    const matcher = entry.string('matcher')
    const command = entry.string('command')
    const timeoutS = entry.number('timeout', { min: 1, max: 600, whole: false }) ?? DEFAULT_TIMEOUT_S
    const isOff = entry.flag('enabled') === false
    const sandbox = entry.oneOf('sandbox', ['project']) ?? (origin.scope === 'project' ? 'project' : undefined)
    for (const needed of ['event', 'command'])
      if (!entry.has(needed)) entry.mistake(undefined, `needs ${article(needed)}`)
    const mistake = matcher === undefined ? undefined : matcherMistake(matcher)
    if (mistake !== undefined) entry.mistake('matcher', mistake)
    entry.finish()
    if (event === undefined || command === undefined || mistake !== undefined) continue
    if (entry.has('matcher') && matcher === undefined) continue
    // Running it with less protection than intended would be the wrong guess.
    if (entry.has('sandbox') && sandbox === undefined) continue
    const timeoutMs = Math.round(timeoutS * 1000)
    hooks.push({
      ...origin,
      index,
      event,
      ...(matcher !== undefined && { matcher }),
      command,
      timeoutMs,
      ...(sandbox && { sandbox }),
      ...(isOff && { isOff: true as const }),
    })
  }
  return hooks
}

/** Adds line numbers to hooks. */
export async function locateHooks(hooks: readonly Hook[], text: string): Promise<Hook[]> {
  if (hooks.length === 0) return []
  const lines = await entryLines(text, ['hooks'], countOf(hooks))
  return hooks.map((hook) => {
    const line = lines[hook.index]
    return line === undefined ? hook : { ...hook, line }
  })
}

/** What a hook would do, in one line with invisible characters escaped. */
export function describeHook({ event, matcher, command, timeoutMs, isOff }: HookView): string {
  const shown = /[\p{Cc}\p{Cf}]/u.test(command) ? JSON.stringify(command).replace(/\p{Cf}/gu, escaped) : command
  return (
    `${isOff ? 'off: ' : ''}on ${event}${matcher === undefined ? '' : ` of ${matcher}`} run, ` +
    `for at most ${timeoutMs / 1000} s: ${shown}`
  )
}

function escaped(sign: string): string {
  return `\\u{${sign.codePointAt(0)!.toString(16)}}`
}

function article(key: string): string {
  return key === 'event' ? 'an event' : `a ${key}`
}

/** What is wrong with a matcher, as the end of a sentence. */
export function matcherMistake(matcher: string): string | undefined {
  if (matcher === '*') return undefined
  try {
    void new RegExp(matcher)
    return undefined
  } catch (error) {
    return `is not a valid regular expression: ${errorText(error)}`
  }
}
