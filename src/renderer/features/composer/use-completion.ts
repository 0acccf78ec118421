import { useCallback, useEffect, useRef, useState } from 'react'
import { commandAt, mentionAt, type OpenMention } from './file-completion'
import { fittingCommands, type SlashCommand } from './slash-commands'

/** A file or folder, or a command. */
export type Completion = { path: string; isFolder: boolean } | { command: SlashCommand }

export type Complete = (query: string) => Promise<{ path: string; isFolder: boolean }[]>

/** What the popup asks for its lists. */
export interface CompletionSources {
  complete: Complete
  commands: readonly SlashCommand[]
  /** Called when the list of commands opens: it may be looked up anew. */
  onCommands: () => void
}

interface OpenCompletion {
  mention: OpenMention
  found: Completion[]
  chosen: number
}

const DEBOUNCE_MS = 80

/** The popup of files for the `@word` at the caret, and of commands for a `/word` at the beginning. `look` is called after every change of text or caret. */
export function useCompletion({ complete, commands, onCommands }: CompletionSources) {
  const [open, setOpen] = useState<OpenCompletion>()
  const asked = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The `@` that was closed with Esc stays closed. */
  const dismissed = useRef<number>(undefined)

  /** The command that is being written; its list follows when commands become known later. */
  const [command, setCommand] = useState<OpenMention>()
  useEffect(() => {
    if (!command) return
    const found = fittingCommands(commands, command.query).map((fitting) => ({ command: fitting }))
    setOpen(found.length > 0 ? { mention: command, found, chosen: 0 } : undefined)
  }, [command, commands])

  const close = useCallback(() => {
    asked.current += 1
    clearTimeout(timer.current)
    setCommand(undefined)
    setOpen(undefined)
  }, [])
  useEffect(() => close, [close])

  const look = useCallback(
    (text: string, caret: number) => {
      const typed = commandAt(text, caret)
      if (typed) {
        if (dismissed.current === typed.start) return
        close()
        setCommand(typed)
        onCommands()
        return
      }
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
    [complete, onCommands, close],
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
