import { isDeepStrictEqual } from 'node:util'
import { basename, dirname, relative, resolve, sep } from 'node:path'
import type { YAMLMap } from 'yaml'
import { errorText } from '../../../shared/error-text'
import type { AgentProblem, AgentSource } from '../../../shared/model/session/agent'
import { EFFORTS } from '../../../shared/model/turn/effort'
import { nearest } from '../../../shared/nearest'
import type { ParsedSpec, SpecFile, WrittenSpec } from './agent-spec'
import { BUILTIN_TOOLS } from '../../../shared/tool-label'
import { parseYaml } from '../workspace/parse-yaml'

const NAME = /^[a-z0-9]+(?:[-_][a-z0-9]+)*$/
const MAX_NAME_CHARS = 64
/** How many levels of files may refer to each other. */
const MAX_LEVELS = 4
/** How many files a spec may refer to, directly or through others. */
const MAX_REFERENCES = 50
/** How many problems of a file are reported. */
const MAX_PROBLEMS = 50
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
  'max_repeats',
  'read_only',
  'greeting',
] as const

type Key = (typeof KEYS)[number]

/** Keys that take rights away. */
const RESTRICTING: ReadonlySet<string> = new Set<Key>(['tools', 'exclude_tools', 'read_only'])

/** Where a spec is read from. `readSibling` reads another file in or below the same folder. */
export interface SpecPlace {
  source: AgentSource
  readSibling(path: string): Promise<string | undefined>
}

/**
 * `level`: how many files refer to this one in a row; `isBase`: it is extended by the previous one, whose subagents
 * apply; `references`: how many files may still be read.
 */
interface Within {
  level: number
  isBase: boolean
  references: { left: number }
}

/**
 * Reads a spec. The keys are at the top level, or below `agent` with a `version` next to it. An invalid field is
 * ignored and reported with its line. If the field restricts the agent, the agent gets fewer rights, never more: with
 * invalid `tools` it has no tools, with invalid `exclude_tools` or `read_only` it is read-only. Only a file that is not
 * a spec at all is left out completely.
 */
export async function readAgentSpec(
  file: SpecFile,
  place: SpecPlace,
  within: Within = { level: 0, isBase: false, references: { left: MAX_REFERENCES } },
): Promise<ParsedSpec> {
  const { path, text } = file
  const { isMap, isScalar } = await import('yaml')
  const parsed = await parseYaml(text.replace(/^\uFEFF/, ''))
  if ('mistake' in parsed) {
    const { line, message } = parsed.mistake
    return { problems: [{ path, line, message: `This is not valid YAML: ${message}` }] }
  }
  const { document, lineAt } = parsed
  const top = document.contents
  if (!isMap(top)) return { problems: [{ path, line: 1, message: 'It must be a list of "key: value".' }] }
  const nested = top.get('agent')
  const map: YAMLMap = isMap(nested) ? nested : top
  const lineOf = (key: string): number | undefined => {
    const pair = map.items.find((item) => isScalar(item.key) && item.key.value === key)
    const range = pair && isScalar(pair.key) ? pair.key.range : undefined
    return range ? lineAt(range[0]) : undefined
  }
  let table: Record<string, unknown>
  try {
    table = map.toJS(document) as Record<string, unknown>
  } catch (problem) {
    // Such as aliases that expand to so much text that it would fill the memory.
    const why = errorText(problem)
    return { problems: [{ path, line: 1, message: `This cannot be read: ${why}` }] }
  }
  const beside = map === top ? [] : top.items.flatMap(({ key }) => (isScalar(key) ? [key] : []))
  const stray = beside
    .map(({ value, range }) => ({ key: String(value), line: range ? lineAt(range[0]) : 1 }))
    .filter(({ key }) => key !== 'agent' && key !== 'version')
  return specFrom(file, place, { table, mayHaveVersion: map === top, stray, lineOf, within })
}

interface Written {
  table: Readonly<Record<string, unknown>>
  mayHaveVersion: boolean
  /** Keys next to `agent`, where they have no effect. */
  stray: readonly { key: string; line: number }[]
  lineOf(key: string): number | undefined
  within: Within
}

async function specFrom(
  { path }: SpecFile,
  place: SpecPlace,
  { table, mayHaveVersion, stray, lineOf, within }: Written,
): Promise<ParsedSpec> {
  const problems: AgentProblem[] = []
  const wrong = (key: string, message: string): undefined => {
    if (problems.length >= MAX_PROBLEMS) return undefined
    const line = lineOf(key)
    problems.push({ path, message, isFatal: false, ...(line !== undefined && { line }) })
    return undefined
  }
  const value = (key: Key): unknown => table[key] ?? undefined
  const string = (key: Key): string | undefined => {
    const found = value(key)
    if (found === undefined) return undefined
    return typeof found === 'string' && found.trim() !== '' ? found.trim() : wrong(key, `${key} must be a text.`)
  }
  const strings = (key: Key, otherwise: string): string[] | 'wrong' | undefined => {
    const found = value(key)
    if (found === undefined) return undefined
    if (Array.isArray(found) && found.every((one): one is string => typeof one === 'string' && one !== '')) return found
    wrong(key, `${key} must be a list of names. ${otherwise}`)
    return 'wrong'
  }
  for (const key of Object.keys(table)) {
    if ((mayHaveVersion && key === 'version') || KEYS.some((known) => known === key)) continue
    if (problems.length >= MAX_PROBLEMS) break
    const [best] = nearest(key, KEYS, 1)
    wrong(key, `"${key}" is not known.${best === undefined ? '' : ` Did you mean ${best}?`}`)
  }
  for (const { key, line } of stray.slice(0, MAX_PROBLEMS)) {
    const effect = RESTRICTING.has(key) ? ' Until it is fixed, this agent can only read.' : ''
    problems.push({
      path,
      line,
      isFatal: false,
      message: `"${key}" stands beside agent, where it has no effect: move it below agent.${effect}`,
    })
  }

  const title = string('name')
  const name = nameFrom(title) ?? nameFrom(basename(path).replace(/\.ya?ml$/, '')) ?? 'agent'
  if (title !== undefined && nameFrom(title) === undefined)
    wrong('name', `The name "${title.slice(0, 80)}" must contain a letter or a digit.`)
  const tools = strings('tools', 'Until it is fixed, this agent has no tools.')
  const excluded = strings('exclude_tools', 'Until it is fixed, this agent can only read.')
  const readOnly = value('read_only') ?? false
  if (typeof readOnly !== 'boolean')
    wrong('read_only', 'read_only must be true or false. Until it is fixed, this agent can only read.')
  const maxSteps = value('max_steps')
  const isCount = typeof maxSteps === 'number' && Number.isInteger(maxSteps) && maxSteps > 0
  if (maxSteps !== undefined && !isCount) wrong('max_steps', 'max_steps must be a whole number from 1.')
  const maxRepeats = value('max_repeats')
  const isRepeats =
    typeof maxRepeats === 'number' && Number.isInteger(maxRepeats) && maxRepeats >= 2 && maxRepeats <= 12
  if (maxRepeats !== undefined && !isRepeats) wrong('max_repeats', 'max_repeats must be a whole number from 2 to 12.')
  const effort = EFFORTS.find((one) => one === value('effort'))
  if (effort === undefined && value('effort') !== undefined)
    wrong('effort', `effort must be one of ${EFFORTS.join(', ')}.`)
  const [description, model, greeting] = [string('description'), string('model'), string('greeting')]
  const [extend, types, systemPrompt] = [await extended(), await subagents(), await prompt()]

  return {
    problems,
    spec: {
      name,
      source: place.source,
      path,
      promptArgs: promptArgs(),
      excludeTools: namedTools('exclude_tools', excluded === 'wrong' ? [] : (excluded ?? [])),
      readOnly: readOnly !== false || excluded === 'wrong' || stray.some(({ key }) => RESTRICTING.has(key)),
      ...(title !== undefined && title !== name && { title }),
      ...(description !== undefined && { description: description.replace(/\s+/g, ' ') }),
      ...(extend && { extend }),
      ...(systemPrompt !== undefined && { systemPrompt }),
      ...(tools && { tools: tools === 'wrong' ? [] : namedTools('tools', tools) }),
      ...(types && { subagents: types.names }),
      ...(types && types.own.length > 0 && { ownTypes: types.own }),
      ...(model !== undefined && { model }),
      ...(effort !== undefined && { effort }),
      ...(isCount && { maxSteps }),
      ...(isRepeats && { maxRepeats }),
      ...(greeting !== undefined && { greeting }),
    },
  }

  function namedTools(key: Key, written: readonly string[]): string[] {
    return [
      ...new Set(
        written.flatMap((one) => {
          const tool = resolveToolName(one)
          if (tool === undefined && problems.length < MAX_PROBLEMS) wrong(key, unknownTool(one))
          return tool ?? []
        }),
      ),
    ]
  }

  /** A file that the spec refers to. It must be in or below the spec's folder, so that trusting that covers it. */
  async function fileFrom(key: Key, written: string): Promise<SpecFile | undefined> {
    const file = resolve(dirname(path), written)
    const inside = relative(dirname(path), file)
    if (inside.startsWith(`..${sep}`) || inside === '..' || resolve(inside) === inside)
      return wrong(key, `${key} must be a path to a file next to the spec.`)
    const text = await place.readSibling(file)
    return text === undefined ? wrong(key, `There is no file ${file}, or it cannot be used.`) : { path: file, text }
  }

  async function prompt(): Promise<string | undefined> {
    const [inline, promptPath] = [string('system_prompt'), string('system_prompt_path')]
    if (inline !== undefined && promptPath !== undefined)
      wrong('system_prompt_path', 'system_prompt and system_prompt_path cannot be combined; the text is used.')
    if (promptPath === undefined || inline !== undefined) return inline
    return (await fileFrom('system_prompt_path', promptPath))?.text.trim()
  }

  async function extended(): Promise<WrittenSpec['extend']> {
    const written = string('extend')
    // In Kimi CLI's files, the agent that is used when no agent is chosen. Trestle has no spec for it.
    if (written === undefined || written === 'default') return undefined
    const line = lineOf('extend')
    const at = line === undefined ? {} : { line }
    if (!/\.ya?ml$/.test(written)) return { name: written, ...at }
    const spec = await specAt('extend', written)
    return { name: written, ...at, ...(spec && { spec }) }
  }

  /** The agent types it may start: names, or `{name: {path, description}}` with a file for each. */
  async function subagents(): Promise<{ names: string[]; own: WrittenSpec[] } | undefined> {
    const written = value('subagents')
    if (typeof written !== 'object' || written === null || Array.isArray(written)) {
      const names = strings('subagents', 'Until it is fixed, this agent starts no subagents.')
      return names && { names: names === 'wrong' ? [] : names, own: [] }
    }
    const own: WrittenSpec[] = []
    const names: string[] = []
    for (const [key, entry] of Object.entries(written as Record<string, unknown>)) {
      const { path: file, description: about } = (typeof entry === 'object' && entry !== null ? entry : {}) as Record<
        string,
        unknown
      >
      const type = nameFrom(key)
      if (type === undefined || (file !== undefined && typeof file !== 'string')) {
        wrong('subagents', `The subagent "${key.slice(0, 80)}" needs a name and the path of its file.`)
        continue
      }
      names.push(type)
      if (typeof file !== 'string' || within.isBase) continue
      const { title: _title, ...spec } = (await specAt('subagents', file)) ?? {}
      if ('path' in spec)
        own.push({ ...spec, name: type, ...(typeof about === 'string' && { description: about.replace(/\s+/g, ' ') }) })
    }
    return { names, own }
  }

  async function specAt(key: Key, written: string): Promise<WrittenSpec | undefined> {
    if (within.level >= MAX_LEVELS) return wrong(key, `The files lead to each other, or more than ${MAX_LEVELS} deep.`)
    const { level, references } = within
    if (references.left <= 0) return wrong(key, `It refers to more than ${MAX_REFERENCES} files.`)
    references.left -= 1
    const file = await fileFrom(key, written)
    const read = file && (await readAgentSpec(file, place, { level: level + 1, isBase: key === 'extend', references }))
    // Files that refer to each other are read more than once, so each problem is added only once.
    for (const problem of read?.problems ?? [])
      if (problems.length < MAX_PROBLEMS && !problems.some((known) => isDeepStrictEqual(known, problem)))
        problems.push(problem)
    return read?.spec
  }

  function promptArgs(): Record<string, string> {
    const written = value('system_prompt_args')
    if (written === undefined) return {}
    const entries =
      typeof written === 'object' && !Array.isArray(written)
        ? Object.entries(written as Record<string, unknown>)
        : undefined
    const good = entries?.filter(
      ([key, arg]) => /^\w+$/.test(key) && ['string', 'number', 'boolean'].includes(typeof arg),
    )
    if (!entries || good!.length < entries.length)
      wrong('system_prompt_args', 'system_prompt_args must be a list of "NAME: text".')
    return Object.fromEntries((good ?? []).map(([key, arg]) => [key, String(arg)]))
  }
}

/** The identifier of an agent, derived from its display name; undefined when no usable character is left. */
function nameFrom(written: string | undefined): string | undefined {
  if (written === undefined || (NAME.test(written) && written.length <= MAX_NAME_CHARS)) return written
  const name = written
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replace(/^-/, '')
    .slice(0, MAX_NAME_CHARS)
    .replace(/-$/, '')
  return name === '' ? undefined : name
}

/**
 * Tools in Kimi CLI's agent files, by the last part of `module:Class`, if Trestle's name differs. Null: Trestle has no
 * such tool and needs none, so it is not reported as missing.
 */
const SOURCE_TOOLS: Readonly<Record<string, string | null>> = {
  Task: 'Agent',
  SetTodoList: 'TodoList',
  Shell: 'Bash',
  CMD: 'Bash',
  Powershell: 'Bash',
  ReadFile: 'Read',
  WriteFile: 'Write',
  StrReplaceFile: 'Edit',
  PatchFile: 'Patch',
  SearchWeb: 'WebSearch',
  Think: null,
}

/**
 * The tool that a spec means: Trestle's name, a server's tool (`mcp__…`), or `module:Class` of Kimi CLI. Undefined: no
 * such tool; null: not needed.
 */
function resolveToolName(written: string): string | null | undefined {
  if (written.startsWith('mcp__') || isTool(written)) return written
  const last = written.slice(written.lastIndexOf(':') + 1)
  if (Object.hasOwn(SOURCE_TOOLS, last)) return SOURCE_TOOLS[last]
  return written.includes(':') && isTool(last) ? last : undefined
}

/** The problem text for a tool that does not exist. */
function unknownTool(name: string): string {
  const last = name.slice(name.lastIndexOf(':') + 1)
  const [near] = nearest(
    last,
    BUILTIN_TOOLS.map((tool) => tool.name),
    1,
  )
  return `There is no tool "${name.slice(0, 80)}".${near === undefined ? '' : ` Did you mean ${near}?`}`
}

function isTool(name: string): boolean {
  return BUILTIN_TOOLS.some((tool) => tool.name === name)
}
