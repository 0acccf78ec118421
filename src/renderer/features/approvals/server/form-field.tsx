import { useId } from 'react'
import type { FormField } from '../../../../shared/model/form'
import { SelectField } from '../../../ui/select-field'
import { TextField } from '../../../ui/text-field'
import type { FormDraft } from './form-draft'

interface FormFieldViewProps {
  field: FormField
  value: FormDraft[string] | undefined
  error: string | undefined
  disabled: boolean
  onChange: (value: FormDraft[string]) => void
}

const INPUT_TYPES = { email: 'email', uri: 'url', date: 'date', 'date-time': 'text' } as const
const EXAMPLES = { email: 'name@example.com', uri: 'https://…', date: undefined, 'date-time': '2026-01-31T12:00:00Z' } as const

/** One thing that a server wants to know, on the control that fits it. */
export function FormFieldView({ field, value, error, disabled, onChange }: FormFieldViewProps) {
  const id = useId()
  const label = field.required ? field.title : `${field.title} (optional)`
  const shared = { label, hint: field.description, error, disabled, name: field.key }
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
            <p id={`${id}-hint`} className="form-check-hint">
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
      return (
        <fieldset
          className="form-choices"
          disabled={disabled}
          aria-describedby={`${id}-note`}
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
                    // In the order of the options, however they were chosen.
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
          <p id={`${id}-note`} role={error ? 'alert' : undefined} className={error ? 'text-small text-fail-ink' : 'text-small text-ink-3'}>
            {error ?? [field.description, howMany(field)].filter(Boolean).join(' ')}
          </p>
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
  if (minimum !== undefined && maximum !== undefined) return `${minimum} to ${maximum}.`
  if (minimum !== undefined) return `At least ${minimum}.`
  return maximum === undefined ? '' : `At most ${maximum}.`
}

function howMany({ minItems = 0, maxItems, options }: FormField & { kind: 'choices' }): string {
  const most = maxItems !== undefined && maxItems < options.length ? maxItems : undefined
  if (minItems > 0 && most !== undefined) return minItems === most ? `Choose ${most}.` : `Choose ${minItems} to ${most}.`
  if (minItems > 0) return `Choose at least ${minItems}.`
  return most === undefined ? '' : `Choose at most ${most}.`
}
