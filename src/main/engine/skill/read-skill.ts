import type { SkillProblem, SkillView } from '../../../shared/configuration/customize/customizations'
import { cutText } from '../../../shared/cut-text'
import { parseYaml } from '../workspace/parse-yaml'

/** The metadata of a SKILL.md; the body is read only when the skill is used. */
export type SkillHead = Omit<SkillView, 'source' | 'path' | 'hiddenBy'>

export interface ReadSkill {
  head?: SkillHead
  problems: Omit<SkillProblem, 'path'>[]
}

/** The format of a skill's name, as defined by Agent Skills. */
const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*$/
const MAX_NAME_CHARS = 64
const MAX_DESCRIPTION_CHARS = 1024
/** Longer front matter is not that of a skill: it is read for every session of a project, trusted or not. */
const MAX_FRONT_CHARS = 32 * 1024
/** Unknown keys that are reported one by one. */
const MAX_UNKNOWN = 10
const KNOWN = [
  'name',
  'description',
  'type',
  'whenToUse',
  'when_to_use',
  'arguments',
  'disableModelInvocation',
  'disable-model-invocation',
  'license',
  'compatibility',
  'metadata',
  'allowed-tools',
  'version',
]

/** The front matter of a SKILL.md and the text below it; `undefined` without front matter. */
export function splitSkill(text: string): { front: string; body: string; bodyLine: number } | undefined {
  const lines = text.replace(/^\uFEFF/, '').split(/\r?\n/)
  if (lines[0]?.trimEnd() !== '---') return undefined
  const end = lines.findIndex((line, index) => index > 0 && line.trimEnd() === '---')
  if (end < 0) return undefined
  return {
    front: lines.slice(1, end).join('\n'),
    body: lines
      .slice(end + 1)
      .join('\n')
      .trim(),
    bodyLine: end + 2,
  }
}

/**
 * Reads the metadata of a SKILL.md in the folder `folderName`. Problems are reported with their line; `head` is absent
 * only if the skill cannot be used.
 */
export async function readSkill(text: string, folderName: string): Promise<ReadSkill> {
  const problems: ReadSkill['problems'] = []
  const fatal = (message: string, line?: number): ReadSkill => ({
    problems: [...problems, { message, isFatal: true, ...(line !== undefined && { line }) }],
  })
  const parts = splitSkill(text)
  if (!parts)
    return fatal('It has no front matter: begin it with a line "---", name and description, and another line "---".', 1)
  if (parts.front.length > MAX_FRONT_CHARS)
    return fatal(`Its front matter is longer than ${MAX_FRONT_CHARS / 1024} KB.`, 2)
  const front = plainFront(parts.front) ?? (await yamlFront(parts.front))
  if ('mistake' in front) return fatal(front.mistake, front.line)
  const { values } = front
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    return fatal('Its front matter must be a list of "key: value".', 2)
  const table = values as Record<string, unknown>
  const lineOf = (key: string): number => parts.front.split('\n').findIndex((line) => line.startsWith(`${key}:`)) + 2
  const note = (key: string, message: string): void =>
    void problems.push({ message, line: lineOf(key), isFatal: false })

  const { name, description } = table
  if (typeof name !== 'string' || name === '') return fatal('It needs a name.', 2)
  if (!NAME.test(name) || name.length > MAX_NAME_CHARS)
    return fatal(
      `Its name "${name.slice(0, 80)}" must be at most ${MAX_NAME_CHARS} lowercase letters, ` +
        'digits and single hyphens between them.',
      lineOf('name'),
    )
  if (typeof description !== 'string' || description.trim() === '') return fatal('It needs a description.', 2)
  if (name !== folderName)
    note('name', `Its name "${name}" is not that of its folder, "${folderName}"; other programs may not find it.`)
  if (description.length > MAX_DESCRIPTION_CHARS)
    note('description', `Its description is longer than ${MAX_DESCRIPTION_CHARS} characters and is cut.`)
  if (parts.body === '') note('name', 'It has no instructions below its front matter.')
  if (table['allowed-tools'] !== undefined)
    note('allowed-tools', 'allowed-tools is ignored: permissions are set by you, not by a skill.')
  const unknown = Object.keys(table).filter((key) => !KNOWN.includes(key))
  for (const key of unknown.slice(0, MAX_UNKNOWN)) note(key, `"${key}" is unknown and ignored.`)
  if (unknown.length > MAX_UNKNOWN)
    note(unknown[MAX_UNKNOWN]!, `${unknown.length - MAX_UNKNOWN} more keys are unknown and ignored.`)

  const type = table['type'] ?? 'inline'
  if (type !== 'inline' && type !== 'prompt' && type !== 'flow')
    return fatal('Its type must be inline, prompt or flow.', lineOf('type'))
  const whenToUse = table['whenToUse'] ?? table['when_to_use']
  const isKept = table['disableModelInvocation'] ?? table['disable-model-invocation']
  return {
    head: {
      name,
      description: cutText(description.trim().replace(/\s+/g, ' '), MAX_DESCRIPTION_CHARS).toWellFormed(),
      type,
      modelInvocation: isKept !== true && isKept !== 'true',
      arguments: argumentNames(table['arguments']),
      ...(typeof whenToUse === 'string' &&
        whenToUse.trim() !== '' && { whenToUse: whenToUse.trim().replace(/\s+/g, ' ') }),
    },
    problems,
  }
}

/**
 * Parses front matter that consists only of `key: text` lines, the usual case, so that startup does not load a YAML
 * parser.
 */
function plainFront(front: string): { values: unknown } | undefined {
  const values: Record<string, unknown> = {}
  for (const line of front.split('\n')) {
    // Only text that means the same in YAML: no quotes, no special characters, no second colon, nothing that could be a
    // number or a date.
    const match = /^([A-Za-z][\w-]*): ([A-Za-z](?:[^:#[\]{}]|:(?=\S))*)$/.exec(line)
    const [, key = '', value = ''] = match ?? []
    if (!match || Object.hasOwn(values, key) || value !== value.trim()) return undefined
    // Words that some YAML versions do not read as text.
    if (value !== 'true' && value !== 'false' && /^(?:null|true|false|yes|no|on|off|y|n)$/i.test(value))
      return undefined
    values[key] = value === 'true' ? true : value === 'false' ? false : value
  }
  return { values }
}

async function yamlFront(front: string): Promise<{ values: unknown } | { mistake: string; line: number }> {
  const parsed = await parseYaml(front)
  if ('mistake' in parsed) {
    const { line, message } = parsed.mistake
    // The front matter starts in line 2.
    return { mistake: `Its front matter is not valid YAML: ${message}`, line: line + 1 }
  }
  try {
    return { values: parsed.document.toJS() }
  } catch (problem) {
    // Such as aliases that expand to so much text that it would fill the memory.
    return { mistake: `Its front matter cannot be read: ${problem instanceof Error ? problem.message : ''}`, line: 2 }
  }
}

/** `arguments: [a, b]`, `arguments: a b`, or a list of `{name: a}`. */
function argumentNames(value: unknown): string[] {
  if (typeof value === 'string') return value.split(/[\s,]+/).filter((name) => name !== '')
  if (!Array.isArray(value)) return []
  return value.flatMap((entry: unknown) => {
    const name = typeof entry === 'object' && entry !== null && 'name' in entry ? entry.name : entry
    return typeof name === 'string' && name !== '' ? [name] : []
  })
}

/** Values for the placeholders of a skill's body. */
export interface Filling {
  /** Everything after the skill's name. */
  args: string
  /** Names of the arguments, in order. */
  names: readonly string[]
  /** The skill's folder. */
  dir: string
}

/**
 * The body with its placeholders filled: `$ARGUMENTS`, `$0` and up (single arguments; quotes group words), `$name`,
 * `${TRESTLE_SKILL_DIR}` and `${KIMI_SKILL_DIR}`. Filled-in text is not expanded again. If no placeholder uses the
 * arguments, they are appended.
 */
export function fillPlaceholders(body: string, { args, names, dir }: Filling): string {
  const single = splitArguments(args)
  let isUsed = false
  const filled = body.replace(
    /\$\{(?:TRESTLE|KIMI)_SKILL_DIR\}|\$(?:\{(\w+)\}|(\w+))/g,
    (whole, braced?: string, plain?: string) => {
      const name = braced ?? plain
      if (name === undefined) return dir
      const value = name === 'ARGUMENTS' ? args : /^\d{1,2}$/.test(name) ? (single[Number(name)] ?? '') : named(name)
      if (value === undefined) return whole
      isUsed = true
      return value
    },
  )
  return isUsed || args.trim() === '' ? filled : `${filled}\n\nArguments: ${args.trim()}`

  function named(name: string): string | undefined {
    const at = names.indexOf(name)
    return at < 0 ? undefined : (single[at] ?? '')
  }
}

/**
 * One argument. The pattern avoids an alternation per character, which would overflow the stack for a text with
 * millions of characters.
 */
const PART = /"([^"\\]*(?:\\.[^"\\]*)*)"|'([^']*)'|(\S+)/g

function splitArguments(args: string): string[] {
  return [...args.matchAll(PART)].map(
    ([, double, quoted, plain]) => double?.replace(/\\(.)/g, '$1') ?? quoted ?? plain ?? '',
  )
}
