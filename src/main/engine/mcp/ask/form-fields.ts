import type { ElicitRequestFormParams } from '@modelcontextprotocol/client'
import type { FormField, FormOption } from '../../../../shared/model/form'
import { serverLine, serverWords } from '../server-words'

const MOST_FIELDS = 100
const MOST_OPTIONS = 500
const TITLE_CHARS = 200
const DESCRIPTION_CHARS = 1000
const SECRET = /pass(?:word|phrase|code)|secret|token|credential|(?:api|access|private)[\s_-]?key|\b(?:pin|cvv|otp)\b/i

type Property = ElicitRequestFormParams['requestedSchema']['properties'][string]

/** The fields of a form that a server asks to be filled in; undefined when nobody could fill it in. */
export function formFields({ properties, required = [] }: ElicitRequestFormParams['requestedSchema']): FormField[] | undefined {
  const entries = Object.entries(properties)
  if (entries.length > MOST_FIELDS) return undefined
  const fields: FormField[] = []
  for (const [key, property] of entries) {
    if (key.length > TITLE_CHARS) return undefined
    const field = fieldOf(key, property, required.includes(key))
    if (!field) return undefined
    fields.push(field)
  }
  return fields
}

function fieldOf(key: string, property: Property, required: boolean): FormField | undefined {
  const { title, description } = property
  const base = {
    key,
    title: serverLine(title ?? '', TITLE_CHARS) || serverLine(key, TITLE_CHARS) || '?',
    ...(description !== undefined && { description: serverWords(description, DESCRIPTION_CHARS) }),
    required,
  }
  if (property.type === 'boolean') return { ...base, kind: 'boolean', ...defined({ default: property.default }) }
  if (property.type === 'number' || property.type === 'integer') {
    const { minimum, maximum } = property
    return { ...base, kind: 'number', integer: property.type === 'integer', ...defined({ minimum, maximum, default: property.default }) }
  }
  const options = optionsOf(property)
  if (options && (options.length === 0 || options.length > MOST_OPTIONS)) return undefined
  if (property.type === 'array') {
    const { minItems, maxItems } = property
    const chosen = property.default?.filter((value) => options?.some((option) => option.value === value))
    return { ...base, kind: 'choices', options: options ?? [], ...defined({ minItems, maxItems, default: chosen }) }
  }
  if (options) {
    const chosen = options.find((option) => option.value === property.default)
    return { ...base, kind: 'choice', options, ...(chosen && { default: chosen.value }) }
  }
  const { format, minLength, maxLength, default: given } = property as Extract<Property, { minLength?: unknown }>
  const secret = SECRET.test(key.replace(/([a-z])([A-Z])/g, '$1 $2')) || SECRET.test(title ?? '')
  return { ...base, kind: 'text', ...defined({ format, minLength, maxLength, default: given }), ...(secret && { secret: true }) }
}

/** What can be chosen; undefined where anything can be written. Each value once: of two that are equal the first is shown. */
function optionsOf(property: Property): FormOption[] | undefined {
  const seen = new Set<string>()
  return listed(property)?.filter(({ value }) => !seen.has(value) && seen.add(value))
}

function listed(property: Property): FormOption[] | undefined {
  if (property.type === 'array') return 'enum' in property.items ? plain(property.items.enum) : titled(property.items.anyOf)
  if ('oneOf' in property) return titled(property.oneOf)
  if (!('enum' in property)) return undefined
  return plain(property.enum, 'enumNames' in property ? property.enumNames : undefined)
}

function plain(values: readonly string[], names: readonly string[] = []): FormOption[] {
  return values.map((value, index) => ({ value, title: serverLine(names[index] ?? value, TITLE_CHARS) || serverLine(value, TITLE_CHARS) }))
}

function titled(options: readonly { const: string; title: string }[]): FormOption[] {
  return options.map(({ const: value, title }) => ({ value, title: serverLine(title, TITLE_CHARS) || serverLine(value, TITLE_CHARS) }))
}

type Defined<Fields> = { [Key in keyof Fields]?: Exclude<Fields[Key], undefined> }

function defined<Fields extends object>(fields: Fields): Defined<Fields> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as Defined<Fields>
}
