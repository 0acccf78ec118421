import { useId, type ReactNode, type ComponentProps } from 'react'
import { cx } from '../cx'

interface FieldProps {
  label: string
  /** Shown below the control, and announced with it. */
  hint?: ReactNode
  /** Validation error; replaces the hint. */
  error?: string | undefined
  /** Hides the label except for screen readers. */
  hideLabel?: boolean
  className?: string
  children: (ids: { id: string; describedBy: string | undefined; invalid: boolean }) => ReactNode
}

/** Label, control, and a hint or error, linked for screen readers. */
export function Field({ label, hint, error, hideLabel, className, children }: FieldProps) {
  const id = useId()
  const note = error ?? hint
  return (
    <div className={cx('flex min-w-0 flex-col gap-1', className)}>
      <label htmlFor={id} className={hideLabel ? 'sr-only' : 'text-small font-medium text-ink-2'}>
        {label}
      </label>
      {children({ id, describedBy: note ? `${id}-note` : undefined, invalid: error !== undefined })}
      {note && (
        <p
          id={`${id}-note`}
          dir="auto"
          role={error ? 'alert' : undefined}
          className={cx('text-small', error ? 'text-fail-ink' : 'text-ink-3')}
        >
          {note}
        </p>
      )}
    </div>
  )
}

/** Classes shared by every text control. */
export const CONTROL_CLASS =
  'h-[31px] w-full min-w-0 rounded-md border border-line-strong bg-raised px-2.5 text-ui ' +
  'text-ink transition-colors duration-100 disabled:opacity-60 aria-invalid:border-fail'

interface TextFieldProps extends Omit<ComponentProps<'input'>, 'id'> {
  label: string
  hint?: ReactNode
  error?: string | undefined
  hideLabel?: boolean
  /** For paths, URLs, names of models. */
  mono?: boolean
}

/** A text input with label, hint and error. */
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
