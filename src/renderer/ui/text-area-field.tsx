import type { ComponentProps, ReactNode } from 'react'
import { cx } from './cx'
import { CONTROL_CLASS, Field } from './field'

interface TextAreaFieldProps extends Omit<ComponentProps<'textarea'>, 'id'> {
  label: string
  hint?: ReactNode
  error?: string | undefined
  hideLabel?: boolean
  /** For what a program reads. */
  mono?: boolean
}

/** Several lines of text with their label, hint and error. */
export function TextAreaField({ label, hint, error, hideLabel, mono, className, ...rest }: TextAreaFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} {...(hideLabel && { hideLabel })} {...(className && { className })}>
      {({ id, describedBy, invalid }) => (
        <textarea
          spellCheck={false}
          autoComplete="off"
          rows={3}
          {...rest}
          id={id}
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
          className={cx(CONTROL_CLASS, 'h-auto resize-y py-1.5 leading-[1.5]', mono && 'font-mono text-small')}
        />
      )}
    </Field>
  )
}
