import { basename, dirname, relative, resolve, sep } from 'node:path'
import type { AgentSource } from '../../../shared/model/agent'
import { EFFORTS } from '../../../shared/model/effort'
import { nearest } from '../../../shared/nearest'
import { TOOL_LIST } from '../tool/tool-list'
import type { ReadSpec, SpecFile, WrittenSpec } from './agent-spec'

const NAME = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/
const MOST_NAME_CHARS = 64
const KEYS = [
  'name',
  'description',
  'extend',
  'system_prompt',
  'system_prompt_path',
  'system_prompt_args',
  'tools',
  'exclude_tools',
  'subagents',
  'model',
  'effort',
  'max_steps',
  'read_only',
] as const

type Key = (typeof KEYS)[number]

/** A mistake in a spec: the whole spec is left out. */
class SpecMistake extends Error {
  readonly line: number | undefined
  constructor(message: string, line: number | undefined) {
    super(message)
    this.line = line
  }
}

/**
 * Reads a spec. The keys stand at the top, or below `agent` with a `version` beside it. `beside` gives the text of another file in the same
 * folder, for its prompt. Anything that is wrong makes the whole spec unusable and is said with its line: an agent that is half what was meant
 * could do what was to be kept from it.
 */
export async function readAgentSpec(
  { path, text }: SpecFile,
  source: AgentSource,
  beside: (path: string) => Promise<string | undefined>,
): Promise<ReadSpec> {
  try {
    return { spec: await parse({ path, text }, source, beside) }
  } catch (error) {
    if (!(error instanceof SpecMistake)) throw error
    return { problem: { path, message: error.message, ...(error.line !== undefined && { line: error.line }) } }
  }
}

async function parse(
  { path, text }: SpecFile,
  source: AgentSource,
  beside: (path: string) => Promise<string | undefined>,
): Promise<WrittenSpec> {
  const { LineCounter, parseDocument, isMap, isScalar } = await import('yaml')
  const lines = new LineCounter()
  const document = parseDocument(text.replace(/^\uFEFF/, ''), { lineCounter: lines, prettyErrors: false })
  const [error] = document.errors
  if (error) throw new SpecMistake(`It is no YAML: ${error.message}`, lines.linePos(error.pos[0]).line)
  const top = document.contents
  if (!isMap(top)) throw new SpecMistake('It must be a list of "key: value".', 1)
  const nested = top.get('agent')
  const map = isMap(nested) ? nested : top
  const lineOf = (key: string): number | undefined => {
    const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key)
    const range = pair && isScalar(pair.key) ? pair.key.range : undefined
    return range ? lines.linePos(range[0]).line : undefined
  }
  const wrong = (key: Key, must: string): SpecMistake => new SpecMistake(`${key} must be ${must}.`, lineOf(key))
  const values: unknown = map.toJS(document)
  const table = values as Record<string, unknown>
  for (const key of Object.keys(table)) {
    if (map === top && key === 'version') continue
    if (!KEYS.some((known) => known === key)) {
      const [best] = nearest(key, KEYS, 1)
      throw new SpecMistake(`"${key}" is not known.${best === undefined ? '' : ` Did you mean ${best}?`}`, lineOf(key))
    }
  }
  const string = (key: Key): string | undefined => {
    const value = table[key]
    if (value === undefined || value === null) return undefined
    if (typeof value !== 'string' || value.trim() === '') throw wrong(key, 'a text')
    return value.trim()
  }
  const strings = (key: Key): string[] | undefined => {
    const value = table[key]
    if (value === undefined || value === null) return undefined
    if (!Array.isArray(value) || !value.every((one): one is string => typeof one === 'string' && one !== ''))
      throw wrong(key, 'a list of names')
    return value
  }
  const name = string('name') ?? basename(path).replace(/\.ya?ml$/, '')
  if (!NAME.test(name) || name.length > MOST_NAME_CHARS)
    throw new SpecMistake(
      `Its name "${name.slice(0, 80)}" must be at most ${MOST_NAME_CHARS} lowercase letters, digits, and single hyphens between them.`,
      lineOf('name') ?? 1,
    )
  const tools = strings('tools')
  for (const tool of tools ?? []) if (!isTool(tool)) throw new SpecMistake(unknownTool(tool), lineOf('tools'))
  const extend = string('extend')
  const description = string('description')
  if (description === undefined && extend === undefined) throw new SpecMistake('It needs a description.', 1)
  const inline = string('system_prompt')
  const promptPath = string('system_prompt_path')
  if (inline !== undefined && promptPath !== undefined)
    throw new SpecMistake('system_prompt and system_prompt_path exclude each other.', lineOf('system_prompt_path'))
  const systemPrompt = promptPath === undefined ? inline : await promptFrom(promptPath)
  const maxSteps = table['max_steps']
  if (maxSteps !== undefined && !(typeof maxSteps === 'number' && Number.isInteger(maxSteps) && maxSteps > 0))
    throw wrong('max_steps', 'a whole number from 1')
  const readOnly = table['read_only'] ?? false
  if (typeof readOnly !== 'boolean') throw wrong('read_only', 'true or false')
  const subagents = strings('subagents')
  const model = string('model')
  const effort = EFFORTS.find((level) => level === table['effort'])
  if (effort === undefined && table['effort'] !== undefined && table['effort'] !== null)
    throw wrong('effort', `one of ${EFFORTS.join(', ')}`)
  const extendLine = lineOf('extend')

  return {
    name,
    source,
    path,
    promptArgs: argsOf(table['system_prompt_args']),
    excludeTools: strings('exclude_tools') ?? [],
    readOnly,
    ...(description !== undefined && { description: description.replace(/\s+/g, ' ') }),
    ...(extend !== undefined && { extend: { name: extend, ...(extendLine !== undefined && { line: extendLine }) } }),
    ...(systemPrompt !== undefined && { systemPrompt }),
    ...(tools && { tools }),
    ...(subagents && { subagents }),
    ...(model !== undefined && { model }),
    ...(effort !== undefined && { effort }),
    ...(typeof maxSteps === 'number' && { maxSteps }),
  }

  async function promptFrom(written: string): Promise<string> {
    const file = resolve(dirname(path), written)
    const inside = relative(dirname(path), file)
    // What a person was shown when they trusted the folder is then all there is.
    if (inside.startsWith(`..${sep}`) || inside === '..' || resolve(inside) === inside)
      throw new SpecMistake('system_prompt_path must lead to a file beside the spec.', lineOf('system_prompt_path'))
    const found = await beside(file)
    if (found === undefined) throw new SpecMistake(`There is no file ${file}, or it cannot be used.`, lineOf('system_prompt_path'))
    return found.trim()
  }

  function argsOf(value: unknown): Record<string, string> {
    if (value === undefined || value === null) return {}
    if (typeof value !== 'object' || Array.isArray(value)) throw wrong('system_prompt_args', 'a list of "NAME: text"')
    return Object.fromEntries(
      Object.entries(value).map(([key, arg]) => {
        if (!/^\w+$/.test(key) || !['string', 'number', 'boolean'].includes(typeof arg))
          throw wrong('system_prompt_args', 'a list of "NAME: text"')
        return [key, String(arg)]
      }),
    )
  }
}

function isTool(name: string): boolean {
  return name.startsWith('mcp__') || TOOL_LIST.some((tool) => tool.name === name)
}

function unknownTool(name: string): string {
  const near = nearest(
    name,
    TOOL_LIST.map((tool) => tool.name),
    1,
  )[0]
  return `There is no tool "${name.slice(0, 80)}".${near === undefined ? '' : ` Did you mean ${near}?`}`
}
