import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
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
  const [files, setFiles] = useState<OpenCompletion>()
  const [command, setCommand] = useState<{ mention: OpenMention; chosen: number }>()
  // Commands may become known after the slash was typed, so their list is made from what is known now.
  const open = useMemo<OpenCompletion | undefined>(() => {
    if (!command) return files
    const found = fittingCommands(commands, command.mention.query).map((fitting) => ({ command: fitting }))
    return found.length > 0 ? { mention: command.mention, found, chosen: command.chosen % found.length } : undefined
  }, [command, commands, files])
  const asked = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The `@` that was closed with Esc stays closed. */
  const dismissed = useRef<number>(undefined)

  const close = useCallback(() => {
    asked.current += 1
    clearTimeout(timer.current)
    setCommand(undefined)
    setFiles(undefined)
  }, [])
  useEffect(() => close, [close])

  const look = useCallback(
    (text: string, caret: number) => {
      const typed = commandAt(text, caret)
      if (typed) {
        if (dismissed.current === typed.start) return
        close()
        setCommand({ mention: typed, chosen: 0 })
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
          if (question === asked.current) setFiles(found.length > 0 ? { mention, found, chosen: 0 } : undefined)
        }
        // Without the list the name can still be written.
        complete(mention.query).then(show, () => show([]))
      }, DEBOUNCE_MS)
    },
    [complete, onCommands, close],
  )

  const count = open?.found.length ?? 1
  const move = useCallback(
    (by: number) => {
      const moved = <List extends { chosen: number }>(list: List | undefined): List | undefined =>
        list && { ...list, chosen: (list.chosen + by + count) % count }
      setCommand(moved)
      setFiles(moved)
    },
    [count],
  )
  const dismiss = useCallback(() => {
    dismissed.current = open?.mention.start
    close()
  }, [open, close])

  return { open, look, move, close, dismiss }
}
