import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx'
import { CONTROL_CLASS, Field } from './field'

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  label: string
  hint?: ReactNode
  error?: string | undefined
  hideLabel?: boolean
  /** For paths, URLs, names of models. */
  mono?: boolean
}

/** One line of text with its label, hint and error. */
export function TextField({ label, hint, error, hideLabel, mono, className, ...rest }: TextFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} {...(hideLabel && { hideLabel })} {...(className && { className })}>
      {({ id, describedBy, invalid }) => (
        <input
          spellCheck={false}
          autoComplete="off"
          {...rest}
          id={id}
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
          className={cx(CONTROL_CLASS, mono && 'font-mono text-small')}
        />
      )}
    </Field>
  )
}
