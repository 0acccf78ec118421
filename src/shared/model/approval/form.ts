/** A field of a form. `key` is the server's own name for it. Lengths count characters (code points). */
export type FormField = {
  key: string
  title: string
  description?: string
  required: boolean
} & (
  | {
      kind: 'text'
      format?: 'email' | 'uri' | 'date' | 'date-time'
      minLength?: number
      maxLength?: number
      default?: string
      /** It looks like a secret: it is hidden while it is typed, and not stored. */
      secret?: true
    }
  | { kind: 'number'; integer: boolean; minimum?: number; maximum?: number; default?: number }
  | { kind: 'boolean'; default?: boolean }
  | { kind: 'choice'; options: FormOption[]; default?: string }
  | { kind: 'choices'; options: FormOption[]; minItems?: number; maxItems?: number; default?: string[] }
)

export interface FormOption {
  value: string
  title: string
}

export type FormValue = string | number | boolean | string[]
export type FormValues = Record<string, FormValue>

/** Maximum characters of a text when the form sets no limit. */
export const TEXT_LIMIT = 10_000

/**
 * The problem of each value, by key, as a sentence; empty when the form can be sent. Fields without a value are
 * omitted, unless they are required.
 */
export function formProblems(fields: readonly FormField[], values: Readonly<FormValues>): Record<string, string> {
  const problems: Record<string, string> = {}
  for (const field of fields) {
    const value = Object.hasOwn(values, field.key) ? values[field.key] : undefined
    const problem = value === undefined ? (field.required ? missing(field) : undefined) : problemOf(field, value)
    if (problem !== undefined) problems[field.key] = problem
  }
  for (const key of Object.keys(values)) {
    if (!fields.some((field) => field.key === key)) problems[key] = 'The form has no such field.'
  }
  return problems
}

/** The initial values of a form. */
export function formDefaults(fields: readonly FormField[]): FormValues {
  const values: FormValues = {}
  for (const field of fields) if (field.default !== undefined) values[field.key] = field.default
  return values
}

/** The part of an answer that is stored: everything except what looks like a secret. */
export function keptValues(fields: readonly FormField[], values: Readonly<FormValues>): FormValues {
  const secret = new Set(fields.flatMap((field) => (field.kind === 'text' && field.secret ? [field.key] : [])))
  return Object.fromEntries(Object.entries(values).filter(([key]) => !secret.has(key)))
}

function missing({ kind }: FormField): string {
  return kind === 'choice' || kind === 'choices'
    ? 'Choose one.'
    : kind === 'boolean'
      ? 'Choose yes or no.'
      : 'Required.'
}

function problemOf(field: FormField, value: FormValue): string | undefined {
  switch (field.kind) {
    case 'text':
      return typeof value === 'string' ? textProblem(field, value) : 'Enter text.'
    case 'number': {
      const { integer, minimum = Number.NEGATIVE_INFINITY, maximum = Number.POSITIVE_INFINITY } = field
      if (typeof value !== 'number' || !Number.isFinite(value))
        return integer ? 'Enter a whole number.' : 'Enter a number.'
      if (integer && !Number.isInteger(value)) return 'Enter a whole number.'
      if (value < minimum) return `Enter ${minimum} or more.`
      if (value > maximum) return `Enter ${maximum} or less.`
      return integer && !Number.isSafeInteger(value) ? 'This number is too large.' : undefined
    }
    case 'boolean':
      return typeof value === 'boolean' ? undefined : 'Choose yes or no.'
    case 'choice':
      return field.options.some((option) => option.value === value) ? undefined : 'Choose one of the options.'
    default: {
      const { options, minItems = 0, maxItems = options.length } = field
      if (!Array.isArray(value) || value.some((one) => !options.some((option) => option.value === one)))
        return 'Choose among the options.'
      if (new Set(value).size < value.length) return 'Choose each only once.'
      if (value.length === 0 && field.required) return 'Choose at least one.'
      if (value.length < minItems) return `Choose at least ${minItems}.`
      return value.length > maxItems ? `Choose at most ${maxItems}.` : undefined
    }
  }
}

function textProblem(
  { format, minLength = 0, maxLength, required }: FormField & { kind: 'text' },
  value: string,
): string | undefined {
  const most = Math.min(maxLength ?? TEXT_LIMIT, TEXT_LIMIT)
  const length = Array.from(value).length
  if (required && length === 0) return 'Required.'
  if (length < minLength) return `Enter at least ${minLength} ${minLength === 1 ? 'character' : 'characters'}.`
  if (length > most) return `Enter at most ${most} ${most === 1 ? 'character' : 'characters'}.`
  switch (format) {
    case 'email':
      return /^[^\s@<>",;]+@[^\s@<>",;.]+(\.[^\s@<>",;.]+)*$/.test(value)
        ? undefined
        : 'Enter an email address, such as name@example.com.'
    case 'uri':
      return /^[a-z][a-z0-9+.-]*:\S+$/i.test(value) && URL.canParse(value)
        ? undefined
        : 'Enter a web address, such as https://example.com.'
    case 'date':
      return isDay(value) ? undefined : 'Enter a date, such as 2026-01-31.'
    case 'date-time':
      return isMoment(value) ? undefined : 'Enter a date and time, such as 2026-01-31T12:00:00Z.'
    default:
      return undefined
  }
}

function isDay(value: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(value)) return false
  const at = new Date(`${value}T00:00:00Z`)
  // 30 February would be parsed as a day in March.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(value)
}

function isMoment(value: string): boolean {
  const match = /^(\d{4}-\d{2}-\d{2})T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:\d{2})$/i.exec(value)
  return match !== null && isDay(match[1] ?? '') && !Number.isNaN(new Date(value).getTime())
}

/**
 * A question of the agent to the user, with answers to choose from; "Other" with free text is always an additional
 * choice.
 */
export interface Question {
  question: string
  /** A word or two, to distinguish several questions. */
  header?: string
  options: { label: string; description: string }[]
  /** Several can be chosen. */
  multi_select: boolean
}

/** The answer to one question. Answers are in the order of the questions. */
export interface QuestionAnswer {
  labels: string[]
  /** The text entered for "Other". */
  other?: string
}
