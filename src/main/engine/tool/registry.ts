import { z } from 'zod'
import { errorText } from '../../../shared/error-text'
import type { ToolSchema } from '../model/provider'
import { nearest } from '../../../shared/nearest'
import type { Tool } from './tool'

/** The tools of a session: those the model is offered, and how their calls are interpreted. */
export interface Registry {
  get(name: string): Tool | undefined
  list(): readonly Tool[]
  /** For the provider, without brief tools; the same array every time. */
  schemas(): readonly ToolSchema[]
  /** Tools that are offered to the model as one line in its instructions; the same array every time. */
  briefTools(): readonly Tool[]
  /** The validated input of a call, or an error message for the model. Empty input counts as `{}`. */
  parseInput(tool: Tool, rawJson: string): { input: unknown } | { error: string }
  /** The error message for a call of an unknown tool. */
  unknownTool(name: string): string
}

/** Throws for two tools with the same name, which is a bug. */
export function createRegistry(tools: readonly Tool[]): Registry {
  const byName = new Map(tools.map((tool) => [tool.name, tool]))
  if (byName.size !== tools.length)
    throw new Error(`Two tools have one name: ${tools.map((tool) => tool.name).join(', ')}`)
  const brief = tools.filter((tool) => tool.brief)
  let schemas: readonly ToolSchema[] | undefined

  return {
    get: (name) => byName.get(name),
    list: () => tools,
    briefTools: () => brief,
    schemas: () => (schemas ??= tools.filter((tool) => !tool.brief).map(toolSchema)),
    parseInput,
    unknownTool(name) {
      const near = nearest(name, [...byName.keys()])
      const shown = JSON.stringify(name.slice(0, 100))
      if (tools.length === 0) return `There is no tool ${shown}; answer in text.`
      return near.length > 0
        ? `There is no tool ${shown}. Did you mean ${near.join(' or ')}? Names must be exact.`
        : `There is no tool ${shown}. The tools are: ${[...byName.keys()].join(', ')}.`
    },
  }
}

/** Schemas that the build has already derived (scripts/tool-schemas.ts), by name; not defined when run from source. */
declare const TOOL_SCHEMAS: Readonly<Record<string, ToolSchema['schema']>> | undefined
const BUILT_SCHEMAS = typeof TOOL_SCHEMAS === 'undefined' ? undefined : TOOL_SCHEMAS

const schemas = new WeakMap<Tool, ToolSchema>()

/** A tool's schema for providers; the same object every time. */
export function toolSchema(tool: Tool): ToolSchema {
  let schema = schemas.get(tool)
  if (!schema) schemas.set(tool, (schema = schemaOf(tool)))
  return schema
}

function schemaOf(tool: Tool): ToolSchema {
  const built = tool.server ? undefined : BUILT_SCHEMAS?.[tool.name]
  return { name: tool.name, description: tool.description.trim(), schema: built ?? deriveSchema(tool) }
}

/** The JSON Schema of a tool's input, as sent to models. */
export function deriveSchema({ input, schema: given }: Tool): ToolSchema['schema'] {
  if (given) return given
  const schema = z.toJSONSchema(input(), {
    io: 'input',
    override: ({ jsonSchema }) => {
      // The integer bounds that zod adds cost bytes but do not help the model.
      if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum
      if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum
      // The same is true for length limits: a call that exceeds them gets a result that explains it.
      delete jsonSchema.minLength
      delete jsonSchema.maxLength
    },
  })
  delete schema.$schema
  return { ...schema }
}

function parseInput(tool: Tool, rawJson: string): { input: unknown } | { error: string } {
  let raw: unknown = {}
  if (rawJson.trim() !== '') {
    try {
      raw = JSON.parse(rawJson)
    } catch (error) {
      return { error: malformed(tool.name, rawJson, error) }
    }
  }
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) {
    const kind = raw === null ? 'null' : Array.isArray(raw) ? 'an array' : `a ${typeof raw}`
    return { error: `The input of ${tool.name} must be a JSON object, not ${kind}. The tool was not run.` }
  }
  const schema = tool.input()
  // Compiling a schema takes as long as several hundred calls would save.
  const parsed = schema.safeParse(raw, { jitless: true })
  if (parsed.success) return { input: parsed.data }
  const fields = schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
  return {
    error:
      `The input of ${tool.name} is not valid, so it was not run:\n` + explainIssues(parsed.error.issues, raw, fields),
  }
}

/** V8 reports what it expected and where; an excerpt of the text around that position helps to find it. */
function malformed(name: string, rawJson: string, error: unknown): string {
  const message = errorText(error)
  const at = Number(/position (\d+)/.exec(message)?.[1] ?? rawJson.length)
  const near = JSON.stringify(rawJson.slice(Math.max(0, at - 40), at + 20))
  return (
    `The input of ${name} is not valid JSON: ${message}, near ${near} (${rawJson.length} characters in all). ` +
    'The tool was not run; send the call again with one complete JSON object.'
  )
}

const MAX_ISSUES = 10

/**
 * The problems of an input, one line per issue, with the field's path and what is expected there. `fields`: the names
 * the object can have.
 */
function explainIssues(issues: readonly z.core.$ZodIssue[], raw: unknown, fields: readonly string[]): string {
  const lines = issues.slice(0, MAX_ISSUES).flatMap((issue) => explain(issue, raw, fields))
  if (issues.length > MAX_ISSUES) lines.push(`and ${issues.length - MAX_ISSUES} more`)
  return lines.map((line) => `- ${line}`).join('\n')
}

function explain(issue: z.core.$ZodIssue, raw: unknown, fields: readonly string[]): string[] {
  const place = pathText(issue.path)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => {
      const known = issue.path.length === 0 ? fields : []
      const near = nearest(key, known, 1)[0]
      const names = known.length > 0 ? ` The fields are: ${known.join(', ')}.` : ''
      return (
        `unknown field \`${[place, key].filter(Boolean).join('.').slice(0, 200)}\`.` +
        (near === undefined ? names : ` Did you mean \`${near}\`?${names}`)
      )
    })
  }
  const value = valueAt(raw, issue.path)
  if (issue.code === 'invalid_type') {
    return value === undefined
      ? [`\`${place}\` is missing (${issue.expected}).`]
      : [`\`${place}\` must be ${article(issue.expected)}, not ${kindOf(value)}.`]
  }
  if (issue.code === 'invalid_value') {
    const options = issue.values.map((option) => JSON.stringify(option)).join(', ')
    return [
      value === undefined
        ? `\`${place}\` is missing (one of ${options}).`
        : `\`${place}\` must be one of ${options}, not ${JSON.stringify(value)?.slice(0, 80)}.`,
    ]
  }
  if (issue.code === 'too_small') return [`\`${place}\` ${amount(issue.origin, 'at least', issue.minimum)}.`]
  if (issue.code === 'too_big') return [`\`${place}\` ${amount(issue.origin, 'at most', issue.maximum)}.`]
  return [`\`${place}\`: ${issue.message}`]
}

function amount(origin: string, bound: string, limit: number | bigint): string {
  const unit = origin === 'string' ? 'character' : origin === 'array' || origin === 'set' ? 'item' : undefined
  return unit === undefined
    ? `must be ${bound} ${limit}`
    : `needs ${bound} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`
}

function pathText(path: readonly PropertyKey[]): string {
  return path
    .map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`))
    .join('')
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined),
    raw,
  )
}

function article(expected: string): string {
  const name = expected === 'int' ? 'integer' : expected
  return `${/^[aeiou]/.test(name) ? 'an' : 'a'} ${name}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (typeof value === 'number') return String(value)
  return Array.isArray(value) ? 'an array' : article(typeof value)
}
