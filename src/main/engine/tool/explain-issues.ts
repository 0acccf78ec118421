import type { z } from 'zod'
import { nearest } from '../../../shared/nearest'

const MAX_ISSUES = 10

/** What is wrong with an input, one line per issue with the field's path and what is expected there. `fields`: the names the object may have. */
export function explainIssues(issues: readonly z.core.$ZodIssue[], raw: unknown, fields: readonly string[]): string {
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
      return `unknown field \`${[place, key].filter(Boolean).join('.').slice(0, 200)}\`.${near === undefined ? names : ` Did you mean \`${near}\`?${names}`}`
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
  return unit === undefined ? `must be ${bound} ${limit}` : `needs ${bound} ${limit} ${unit}${Number(limit) === 1 ? '' : 's'}`
}

function pathText(path: readonly PropertyKey[]): string {
  return path.map((key, index) => (typeof key === 'number' ? `[${key}]` : `${index > 0 ? '.' : ''}${String(key)}`)).join('')
}

function valueAt(raw: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>((value, key) => (typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined), raw)
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
