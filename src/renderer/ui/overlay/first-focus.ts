import { useEffect, useRef, type RefObject } from 'react'

/** Focuses a field when it appears, with its text selected; not again when its tab was hidden and is shown again. */
export function useFirstFocus(field: RefObject<HTMLInputElement | null>): void {
  const isDone = useRef(false)
  useEffect(() => {
    if (isDone.current) return
    isDone.current = true
    field.current?.focus()
    field.current?.select()
  }, [field])
}
