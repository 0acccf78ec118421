import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx'
import { CONTROL_CLASS, Field } from './field'

interface SelectFieldProps extends Omit<ComponentProps<'select'>, 'id'> {
  label: string
  hint?: ReactNode
  error?: string | undefined
  hideLabel?: boolean
}

/** The platform's own select (it is the most accessible one), with label, hint and error. Children are `option`s. */
export function SelectField({ label, hint, error, hideLabel, className, children, ...rest }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} {...(hideLabel && { hideLabel })} {...(className && { className })}>
      {({ id, describedBy, invalid }) => (
        <select {...rest} id={id} aria-describedby={describedBy} aria-invalid={invalid || undefined} className={cx(CONTROL_CLASS, 'pr-1')}>
          {children}
        </select>
      )}
    </Field>
  )
}
