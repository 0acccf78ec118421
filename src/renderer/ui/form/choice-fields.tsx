import { RadioGroup } from 'radix-ui'
import { useId, useRef, type ComponentProps, type KeyboardEvent, type ReactNode } from 'react'
import { cx } from '../cx'
import { CONTROL_CLASS, Field } from './field'

interface RadioListProps<Value extends string> {
  label: string
  value: Value | undefined
  options: readonly { value: Value; label: ReactNode; description?: ReactNode; end?: ReactNode; disabled?: boolean }[]
  onChange: (value: Value) => void
  className?: string
}

/** Radio buttons with room for an explanation each. Arrow keys choose. */
export function RadioList<Value extends string>({ label, value, options, onChange, className }: RadioListProps<Value>) {
  const id = useId()
  const { choose, onKeyDown } = useChoice(options, onChange)
  return (
    <RadioGroup.Root
      aria-label={label}
      value={value ?? null}
      onValueChange={choose}
      onKeyDownCapture={onKeyDown}
      className={cx('overflow-hidden rounded-lg border border-line bg-raised', className)}
    >
      {options.map((option) => (
        <label
          key={option.value}
          htmlFor={`${id}-${option.value}`}
          className={cx(
            'flex items-start gap-3 border-t border-line px-3 py-2 first:border-t-0',
            option.disabled ? 'opacity-60' : 'cursor-pointer hover:bg-paper has-[[data-state=checked]]:bg-panel',
          )}
        >
          <RadioGroup.Item
            id={`${id}-${option.value}`}
            value={option.value}
            disabled={option.disabled}
            className={cx(
              'mt-[3px] flex size-[15px] flex-none items-center justify-center rounded-full border',
              'border-line-strong bg-raised data-[state=checked]:border-accent data-[state=checked]:bg-accent',
            )}
          >
            <RadioGroup.Indicator className="size-[5px] rounded-full bg-on-accent" />
          </RadioGroup.Item>
          <span className="min-w-0 flex-1">
            <span className="block font-medium">{option.label}</span>
            {option.description && <span className="block text-small text-ink-3">{option.description}</span>}
          </span>
          {option.end}
        </label>
      ))}
    </RadioGroup.Root>
  )
}

interface ChoiceBarProps<Value extends string> {
  label: string
  value: Value
  options: readonly { value: Value; label: string }[]
  onChange: (value: Value) => void
}

/** A few short choices in a row. Arrow keys choose. */
export function ChoiceBar<Value extends string>({ label, value, options, onChange }: ChoiceBarProps<Value>) {
  const { choose, onKeyDown } = useChoice(options, onChange)
  return (
    <RadioGroup.Root
      aria-label={label}
      orientation="horizontal"
      value={value}
      onValueChange={choose}
      onKeyDownCapture={onKeyDown}
      className="flex flex-wrap gap-0.5 rounded-md border border-line bg-sunken p-0.5"
    >
      {options.map((option) => (
        <RadioGroup.Item
          key={option.value}
          value={option.value}
          className={cx(
            'min-h-[25px] rounded-[5px] border border-transparent px-2.5 text-ui text-ink-2',
            'hover:text-ink data-[state=checked]:border-line-strong data-[state=checked]:bg-raised',
            'data-[state=checked]:font-medium data-[state=checked]:text-ink',
          )}
        >
          {option.label}
        </RadioGroup.Item>
      ))}
    </RadioGroup.Root>
  )
}

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }

/**
 * Arrow keys choose as soon as they are pressed. Radix moves the focus in a later task and chooses only while the key
 * is still down, so a quick key on a busy page would move the focus without choosing.
 */
function useChoice<Value extends string>(options: readonly { value: Value }[], onChange: (value: Value) => void) {
  /** Radix also chooses when the focus moves while an arrow key is held down. */
  const isMoving = useRef(false)
  const choose = (next: string): void => {
    const option = options.find((candidate) => candidate.value === next)
    if (option && !isMoving.current) onChange(option.value)
  }
  const onKeyDown = (event: KeyboardEvent<HTMLElement>): void => {
    const step = STEPS[event.key]
    if (step === undefined || event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return
    const radios = [...event.currentTarget.querySelectorAll<HTMLButtonElement>('[role=radio]:not([disabled])')]
    const from = radios.findIndex((radio) => radio === event.target)
    const next = radios[(from + step + radios.length) % radios.length]
    if (from === -1 || !next) return
    event.preventDefault()
    isMoving.current = true
    next.focus()
    isMoving.current = false
    choose(next.value)
  }
  return { choose, onKeyDown }
}

interface SelectFieldProps extends Omit<ComponentProps<'select'>, 'id'> {
  label: string
  hint?: ReactNode
  error?: string | undefined
  hideLabel?: boolean
}

/** The native select (the most accessible one), with label, hint and error. Children are `option`s. */
export function SelectField({ label, hint, error, hideLabel, className, children, ...rest }: SelectFieldProps) {
  return (
    <Field label={label} hint={hint} error={error} {...(hideLabel && { hideLabel })} {...(className && { className })}>
      {({ id, describedBy, invalid }) => (
        <select
          {...rest}
          id={id}
          aria-describedby={describedBy}
          aria-invalid={invalid || undefined}
          className={cx(CONTROL_CLASS, 'pr-1')}
        >
          {children}
        </select>
      )}
    </Field>
  )
}

interface TextAreaFieldProps extends Omit<ComponentProps<'textarea'>, 'id'> {
  label: string
  hint?: ReactNode
  error?: string | undefined
  hideLabel?: boolean
  /** For text that a program reads. */
  mono?: boolean
}

/** A text area with label, hint and error. */
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
