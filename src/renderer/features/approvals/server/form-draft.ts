import { formDefaults, type FormField, type FormValue, type FormValues } from '../../../../shared/model/form'

/** What stands in the fields, as it was written: what is in a number field need not be a number. */
export type FormDraft = Readonly<Record<string, string | boolean | readonly string[]>>

/** Forms that were begun and are not on screen just now, by their approval: going to another session loses nothing. */
const kept = new Map<string, FormDraft>()
const MOST_KEPT = 50

export function draftOf(approvalId: string, fields: readonly FormField[]): FormDraft {
  return kept.get(approvalId) ?? blank(fields)
}

export function keepDraft(approvalId: string, fields: readonly FormField[], draft: FormDraft): void {
  // A secret does not outlive its card.
  const open = Object.entries(draft).filter(([key]) => !fields.some((field) => field.key === key && field.kind === 'text' && field.secret))
  kept.delete(approvalId)
  kept.set(approvalId, { ...blank(fields), ...Object.fromEntries(open) })
  const [oldest] = kept.keys()
  if (oldest !== undefined && kept.size > MOST_KEPT) kept.delete(oldest)
}

export function forgetDraft(approvalId: string): void {
  kept.delete(approvalId)
}

function blank(fields: readonly FormField[]): FormDraft {
  const defaults = formDefaults(fields)
  return Object.fromEntries(
    fields.map((field) => [field.key, written(field, Object.hasOwn(defaults, field.key) ? defaults[field.key] : undefined)]),
  )
}

function written({ kind }: FormField, value: FormValue | undefined): FormDraft[string] {
  if (kind === 'boolean') return value === true
  if (kind === 'choices') return Array.isArray(value) ? value : []
  return value === undefined ? '' : String(value)
}

/** What would be sent. A field that is left empty is not. */
export function valuesOf(fields: readonly FormField[], draft: FormDraft): FormValues {
  return Object.fromEntries(
    fields.flatMap((field): [string, FormValue][] => {
      const value = valueOf(field, draft[field.key])
      return value === undefined ? [] : [[field.key, value]]
    }),
  )
}

function valueOf(field: FormField, written: FormDraft[string] | undefined): FormValue | undefined {
  switch (field.kind) {
    case 'boolean':
      return written === true
    case 'choices': {
      const chosen = Array.isArray(written) ? (written as readonly string[]) : []
      return chosen.length === 0 && !field.required && !field.minItems ? undefined : [...chosen]
    }
    case 'number': {
      const text = String(written ?? '').trim()
      // What is no number is told so by the check.
      return text === '' ? undefined : Number(text.replace(/^(-?\d+),(\d+)$/, '$1.$2'))
    }
    default:
      return written === '' || typeof written !== 'string' ? undefined : written
  }
}
