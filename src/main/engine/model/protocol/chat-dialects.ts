import { createHash } from 'node:crypto'
import type { ModelRequest } from '../provider'
import { modelFamily, requestedThinking } from '../thinking'
import type { PromptRules } from './protocol'

/**
 * The fields of a chat request that control thinking; `reasoningEffort` is the package's name for
 * `reasoning_effort`.
 */
interface ChatThinking {
  reasoningEffort?: string
  thinking?: { type: 'enabled' | 'disabled' }
  enable_thinking?: boolean
}

/**
 * How the thinking effort is sent to chat servers. The protocol has a field for levels; for switches, each vendor has
 * its own. Sends nothing if no effort was chosen, or if the model is not known to accept one.
 */
export function chatThinking(
  type: 'openai-compatible' | 'moonshot',
  request: Pick<ModelRequest, 'model' | 'thinking' | 'traits' | 'effort'>,
): ChatThinking {
  const { control, effort, thinks } = requestedThinking(type, request)
  if (control === 'switch') {
    // Moonshot's models think by default, so send a switch also if config.toml says that the model does not think.
    const said = effort !== undefined || (type === 'moonshot' && !thinks)
    if (!said) return {}
    return modelFamily(request.model) === 'qwen'
      ? { enable_thinking: thinks }
      : { thinking: { type: thinks ? 'enabled' : 'disabled' } }
  }
  if (effort === undefined || (control !== 'effort' && control !== 'adaptive')) return {}
  return { reasoningEffort: effort }
}

const MISTRAL_FAMILIES: ReadonlySet<string> = new Set([
  'mistral',
  'ministral',
  'magistral',
  'mixtral',
  'devstral',
  'codestral',
  'pixtral',
])

/** Whether a model is one of Mistral's, on any server. */
export function isMistral(model: string): boolean {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  return name.split(/[^a-z]+/).some((word) => MISTRAL_FAMILIES.has(word))
}

const MISTRAL_CALL_ID = /^[a-zA-Z0-9]{9}$/

/**
 * Mistral's templates require call ids of nine letters and digits and an answer between results and a user message, and
 * reject the fields in which thinking is sent back to others.
 */
export const MISTRAL_RULES: Partial<PromptRules> = {
  callId: (id) =>
    MISTRAL_CALL_ID.test(id)
      ? id
      : BigInt(`0x${createHash('sha256').update(id).digest('hex').slice(0, 16)}`)
          .toString(36)
          .padStart(9, '0')
          .slice(-9),
  answerAfterResults: 'Understood.',
  thinkingReplay: () => ({ isOff: true }),
}

type Schema = Record<string, unknown>

/**
 * A JSON Schema in the form that Moonshot accepts: every enum has a type, a type next to `anyOf` moves into its
 * branches, and the root is an object.
 */
export function moonshotSchema(schema: Schema): Schema {
  const root = convert(schema)
  return root['type'] === undefined ? { type: 'object', properties: {}, ...root } : root
}

const LISTS = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const MAPS = ['properties', 'patternProperties', '$defs', 'definitions']
const SINGLES = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames']

function convert(schema: Schema): Schema {
  const result: Schema = { ...schema }
  for (const key of LISTS) {
    const list = result[key]
    if (Array.isArray(list)) result[key] = list.map((item: unknown) => (isSchema(item) ? convert(item) : item))
  }
  for (const key of MAPS) {
    const map = result[key]
    if (isSchema(map))
      result[key] = Object.fromEntries(
        Object.entries(map).map(([name, item]) => [name, isSchema(item) ? convert(item) : item]),
      )
  }
  for (const key of SINGLES) {
    const item = result[key]
    if (isSchema(item)) result[key] = convert(item)
  }
  if (result['type'] === undefined) {
    const values = Array.isArray(result['enum']) ? result['enum'] : 'const' in result ? [result['const']] : []
    const types = [...new Set(values.map(typeOf))]
    if (types.length > 0) result['type'] = types.length === 1 ? types[0] : types
  } else if (typeof result['type'] === 'string' && Array.isArray(result['anyOf'])) {
    const { type, ...rest } = result
    return {
      ...rest,
      anyOf: result['anyOf'].map((branch: unknown) =>
        isSchema(branch) && branch['type'] === undefined ? { type, ...branch } : branch,
      ),
    }
  }
  return result
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function typeOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number'
  return typeof value
}
