import { useEffect, useRef } from 'react'

interface RenameFieldProps {
  title: string
  /** Called once: with the new title, or undefined when nothing is to change. */
  onDone: (title: string | undefined) => void
}

/** A title being edited in place: Enter and leaving the field keep it, Escape does not. */
export function RenameField({ title, onDone }: RenameFieldProps) {
  const field = useRef<HTMLInputElement>(null)
  const done = useRef(false)
  useEffect(() => {
    field.current?.select()
  }, [])
  const finish = (value: string | undefined): void => {
    if (done.current) return
    done.current = true
    const next = value?.trim()
    onDone(next && next !== title ? next : undefined)
  }
  return (
    <input
      ref={field}
      autoFocus
      defaultValue={title}
      maxLength={200}
      aria-label="Title of the session"
      className="h-[22px] min-w-0 flex-1 rounded-sm border border-line-strong bg-raised px-1 text-body text-ink"
      onClick={(event) => event.stopPropagation()}
      onBlur={(event) => finish(event.currentTarget.value)}
      onKeyDown={(event) => {
        event.stopPropagation()
        if (event.key === 'Enter' && !event.nativeEvent.isComposing) finish(event.currentTarget.value)
        if (event.key === 'Escape') {
          event.preventDefault()
          finish(undefined)
        }
      }}
    />
  )
}
