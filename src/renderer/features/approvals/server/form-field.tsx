import { useId } from 'react'
import { type FormField, formDefaults, type FormValue, type FormValues } from '../../../../shared/model/approval/form'
import { numberIn, wholeNumberIn } from '../../../format/typed-number'
import { SelectField } from '../../../ui/form/choice-fields'
import { TextField } from '../../../ui/form/field'

interface FormFieldViewProps {
  field: FormField
  value: FormDraft[string] | undefined
  error: string | undefined
  disabled: boolean
  onChange: (value: FormDraft[string]) => void
}

const INPUT_TYPES = { email: 'email', uri: 'url', date: 'date', 'date-time': 'datetime-local' } as const
const EXAMPLES = {
  email: 'name@example.com',
  uri: 'https://…',
  date: undefined,
  'date-time': undefined,
} as const

/** One field of the form, with the matching control. */
export function FormFieldView({ field, value, error, disabled, onChange }: FormFieldViewProps) {
  const id = useId()
  const label = field.required ? field.title : `${field.title} (optional)`
  const shared = { label, dir: 'auto', hint: field.description, error, disabled, name: field.key }
  switch (field.kind) {
    case 'boolean':
      return (
        <div>
          <label className="form-check">
            <input
              type="checkbox"
              name={field.key}
              checked={value === true}
              disabled={disabled}
              aria-describedby={field.description ? `${id}-hint` : undefined}
              onChange={(event) => onChange(event.target.checked)}
            />
            <span>{field.title}</span>
          </label>
          {field.description && (
            <p id={`${id}-hint`} dir="auto" className="form-check-hint">
              {field.description}
            </p>
          )}
        </div>
      )
    case 'choice':
      return (
        <SelectField {...shared} value={String(value ?? '')} onChange={(event) => onChange(event.target.value)}>
          <option value="">{field.required ? 'Choose one…' : 'None'}</option>
          {field.options.map((option) => (
            <option key={option.value} value={option.value}>
              {option.title}
            </option>
          ))}
        </SelectField>
      )
    case 'choices': {
      const chosen = Array.isArray(value) ? (value as readonly string[]) : []
      const note = error ?? [field.description, howMany(field)].filter(Boolean).join(' ')
      return (
        <fieldset
          className="form-choices"
          disabled={disabled}
          aria-describedby={note ? `${id}-note` : undefined}
          aria-invalid={error !== undefined || undefined}
        >
          <legend>{label}</legend>
          <div className="form-choices-list">
            {field.options.map((option) => (
              <label key={option.value} className="form-check">
                <input
                  type="checkbox"
                  name={field.key}
                  checked={chosen.includes(option.value)}
                  aria-invalid={error !== undefined || undefined}
                  onChange={(event) =>
                    // In the order of the options, not of the clicks.
                    onChange(
                      field.options
                        .map((one) => one.value)
                        .filter((one) => (one === option.value ? event.target.checked : chosen.includes(one))),
                    )
                  }
                />
                <span>{option.title}</span>
              </label>
            ))}
          </div>
          {note && (
            <p
              id={`${id}-note`}
              dir="auto"
              role={error ? 'alert' : undefined}
              className={error ? 'text-small text-fail-ink' : 'text-small text-ink-3'}
            >
              {note}
            </p>
          )}
        </fieldset>
      )
    }
    case 'number':
      return (
        <TextField
          {...shared}
          hint={[field.description, range(field)].filter(Boolean).join(' ') || undefined}
          inputMode={field.integer ? 'numeric' : 'decimal'}
          value={String(value ?? '')}
          onChange={(event) => onChange(event.target.value)}
        />
      )
    default:
      return (
        <TextField
          {...shared}
          type={field.secret ? 'password' : field.format ? INPUT_TYPES[field.format] : 'text'}
          placeholder={field.format && EXAMPLES[field.format]}
          value={String(value ?? '')}
          onChange={(event) => onChange(event.target.value)}
        />
      )
  }
}

function range({ minimum, maximum }: FormField & { kind: 'number' }): string {
  if (minimum !== undefined && maximum !== undefined) return `Between ${minimum} and ${maximum}.`
  if (minimum !== undefined) return `At least ${minimum}.`
  return maximum === undefined ? '' : `At most ${maximum}.`
}

function howMany({ minItems = 0, maxItems, options }: FormField & { kind: 'choices' }): string {
  const most = maxItems !== undefined && maxItems < options.length ? maxItems : undefined
  if (minItems > 0 && most !== undefined)
    return minItems === most ? `Choose ${most}.` : `Choose ${minItems} to ${most}.`
  if (minItems > 0) return `Choose at least ${minItems}.`
  return most === undefined ? '' : `Choose at most ${most}.`
}

/** The raw text of the fields: the text of a number field need not be a number. */
export type FormDraft = Readonly<Record<string, string | boolean | readonly string[]>>

/** Unsent forms by approval ID, so that switching sessions keeps the input. */
const kept = new Map<string, FormDraft>()
const MAX_KEPT = 50

export function draftOf(approvalId: string, fields: readonly FormField[]): FormDraft {
  return kept.get(approvalId) ?? blank(fields)
}

export function keepDraft(approvalId: string, fields: readonly FormField[], draft: FormDraft): void {
  // A secret does not outlive its card.
  const open = Object.entries(draft).filter(
    ([key]) => !fields.some((field) => field.key === key && field.kind === 'text' && field.secret),
  )
  kept.delete(approvalId)
  kept.set(approvalId, { ...blank(fields), ...Object.fromEntries(open) })
  const [oldest] = kept.keys()
  if (oldest !== undefined && kept.size > MAX_KEPT) kept.delete(oldest)
}

export function forgetDraft(approvalId: string): void {
  kept.delete(approvalId)
}

function blank(fields: readonly FormField[]): FormDraft {
  const defaults = formDefaults(fields)
  return Object.fromEntries(
    fields.map((field) => [
      field.key,
      written(field, Object.hasOwn(defaults, field.key) ? defaults[field.key] : undefined),
    ]),
  )
}

function written(field: FormField, value: FormValue | undefined): FormDraft[string] {
  if (field.kind === 'boolean') return value === true
  if (field.kind === 'choices') return Array.isArray(value) ? value : []
  if (value === undefined) return ''
  return isMoment(field) ? localTime(String(value)) : String(value)
}

/** Its control shows local time; the server gets a time with its time zone. */
function isMoment(field: FormField): boolean {
  return field.kind === 'text' && field.format === 'date-time' && field.secret !== true
}

/** A date and time in the format of the browser's control: `2026-01-31T12:00`; empty if it cannot be parsed. */
function localTime(moment: string): string {
  const at = new Date(moment)
  if (Number.isNaN(at.getTime())) return ''
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().replace(/(?::00)?\.\d+Z$/, '')
}

/** The date and time with its time zone. An unchanged one is sent as the server wrote it. */
function momentOf(local: string, { default: given }: FormField): string {
  if (typeof given === 'string' && localTime(given) === local) return given
  const at = new Date(local)
  return Number.isNaN(at.getTime()) ? local : at.toISOString()
}

/** The values to send. Empty fields are omitted. */
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
      // Validation reports text that is not a number.
      return text === '' ? undefined : (field.integer ? wholeNumberIn : numberIn)(text)
    }
    default:
      if (written === '' || typeof written !== 'string') return undefined
      return isMoment(field) ? momentOf(written, field) : written
  }
}
