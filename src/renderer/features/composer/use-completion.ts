import { useCallback, useEffect, useRef, useState } from 'react'
import { mentionAt, type OpenMention } from './file-completion'

export interface Completion {
  path: string
  isFolder: boolean
}

export type Complete = (query: string) => Promise<Completion[]>

interface OpenCompletion {
  mention: OpenMention
  found: Completion[]
  chosen: number
}

const DEBOUNCE_MS = 80

/** The popup of files for the `@word` at the caret. `look` is called after every change of text or caret. */
export function useCompletion(complete: Complete) {
  const [open, setOpen] = useState<OpenCompletion>()
  const asked = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The `@` that was closed with Esc stays closed. */
  const dismissed = useRef<number>(undefined)

  const close = useCallback(() => {
    asked.current += 1
    clearTimeout(timer.current)
    setOpen(undefined)
  }, [])
  useEffect(() => close, [close])

  const look = useCallback(
    (text: string, caret: number) => {
      const mention = mentionAt(text, caret)
      if (!mention) {
        dismissed.current = undefined
        close()
        return
      }
      if (dismissed.current === mention.start) return
      const question = ++asked.current
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        const show = (found: Completion[]): void => {
          if (question === asked.current) setOpen(found.length > 0 ? { mention, found, chosen: 0 } : undefined)
        }
        // Without the list the name can still be written.
        complete(mention.query).then(show, () => show([]))
      }, DEBOUNCE_MS)
    },
    [complete, close],
  )

  const move = useCallback(
    (by: number) => setOpen((now) => now && { ...now, chosen: (now.chosen + by + now.found.length) % now.found.length }),
    [],
  )
  const dismiss = useCallback(() => {
    dismissed.current = open?.mention.start
    close()
  }, [open, close])

  return { open, look, move, close, dismiss }
}
