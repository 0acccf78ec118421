import { type ReactNode, useId } from 'react'
import { Switch as RadixSwitch } from 'radix-ui'
import { cx } from '../cx'

/** Heading of a settings section: title, description, and its buttons, which stay together where the line wraps. */
export function SectionHead({
  id,
  title,
  text,
  children,
}: {
  id: string
  title: string
  text?: string
  children?: ReactNode
}) {
  return (
    <div className="mb-3.5 flex flex-wrap items-end gap-x-4 gap-y-2">
      <div className="min-w-[220px] flex-1">
        <h2 id={id} className="text-lead font-semibold tracking-[-0.01em]">
          {title}
        </h2>
        {text && <p className="text-ui text-pretty text-ink-3">{text}</p>}
      </div>
      {children && <div className="flex flex-wrap items-center gap-2">{children}</div>}
    </div>
  )
}

/** A section of a settings page under its heading, which has the id. */
export function SettingsSection({
  id,
  title,
  text,
  className,
  children,
}: {
  id: string
  title: string
  text?: string
  className?: string
  children: ReactNode
}) {
  return (
    <section aria-labelledby={id} className={className}>
      <SectionHead id={id} title={title} {...(text !== undefined && { text })} />
      {children}
    </section>
  )
}

/** A framed list of settings, each a `<li>`. */
export function SettingsList({ roomy = false, children }: { roomy?: boolean; children: ReactNode }) {
  return (
    <ul
      className={cx(
        'overflow-hidden rounded-lg border border-line bg-raised',
        '[&>li+li]:border-t [&>li+li]:border-line [&>li]:px-3.5',
        roomy ? '[&>li]:py-2.5' : '[&>li]:py-2',
      )}
    >
      {children}
    </ul>
  )
}

interface SwitchProps {
  label: ReactNode
  description?: ReactNode
  checked: boolean
  disabled?: boolean
  onChange: (checked: boolean) => void
  /** A click anywhere on the positioned parent toggles the switch. */
  covers?: boolean
  className?: string
}

/** A switch with its label on the left. */
export function Switch({ label, description, checked, disabled, onChange, covers = false, className }: SwitchProps) {
  const id = useId()
  return (
    <div className={cx('flex items-start gap-4', className)}>
      <div className="min-w-0 flex-1">
        <label
          htmlFor={id}
          className={cx('block text-body font-medium', covers && 'after:absolute after:inset-0 after:cursor-pointer')}
        >
          {label}
        </label>
        {description && (
          <p id={`${id}-note`} className="text-small text-ink-3">
            {description}
          </p>
        )}
      </div>
      <RadixSwitch.Root
        id={id}
        checked={checked}
        disabled={disabled}
        onCheckedChange={onChange}
        aria-describedby={description ? `${id}-note` : undefined}
        className={cx(
          'relative mt-0.5 h-[18px] w-[32px] flex-none rounded-full border',
          'border-line-strong bg-sunken transition-colors duration-100 disabled:opacity-50',
          'data-[state=checked]:border-accent data-[state=checked]:bg-accent',
        )}
      >
        <RadixSwitch.Thumb
          className={cx(
            'block size-[12px] translate-x-[2px] rounded-full bg-ink-3 transition-transform',
            'duration-100 data-[state=checked]:translate-x-[16px] data-[state=checked]:bg-on-accent',
          )}
        />
      </RadixSwitch.Root>
    </div>
  )
}
