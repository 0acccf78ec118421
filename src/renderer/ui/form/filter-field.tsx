import { Search } from 'lucide-react'
import { cx } from '../cx'

interface FilterFieldProps {
  label: string
  placeholder: string
  value: string
  onChange: (value: string) => void
  /** Its size and position. */
  className: string
  /** Makes it a search landmark with this name. */
  landmark?: string
}

/** A field whose text filters the list below it. */
export function FilterField({ label, placeholder, value, onChange, className, landmark }: FilterFieldProps) {
  return (
    <div
      {...(landmark !== undefined && { role: 'search', 'aria-label': landmark })}
      className={cx(
        className,
        'flex items-center gap-2 rounded-md border border-line-strong bg-raised px-2.5 text-ink-3',
        'has-[input:focus-visible]:outline-2 has-[input:focus-visible]:outline-offset-1',
        'has-[input:focus-visible]:outline-focus',
      )}
    >
      <Search aria-hidden className="size-[14px] flex-none" />
      <input
        aria-label={label}
        placeholder={placeholder}
        value={value}
        onChange={(event) => onChange(event.target.value)}
        className="h-full min-w-0 flex-1 bg-transparent text-ui text-ink outline-none"
      />
    </div>
  )
}
