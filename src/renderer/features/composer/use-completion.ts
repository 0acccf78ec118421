import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import type { McpPrompt, McpResource } from '../../../shared/model/mcp-content'
import { commandAt, mentionAt, type OpenMention } from './file-completion'
import { argumentAt, argumentHint, type OpenArgument } from './prompt-argument'
import { fittingCommands, type SlashCommand } from './slash-commands'

/** A file or folder, a resource of a server, a command, or a value for an argument of a prompt. */
export type Completion =
  | { path: string; isFolder: boolean }
  | { resource: McpResource }
  | { command: SlashCommand }
  | { value: string; open: OpenArgument }

/** What may be mentioned. */
export type Complete = (query: string) => Promise<({ path: string; isFolder: boolean } | { resource: McpResource })[]>

/** What the popup asks for its lists. */
export interface CompletionSources {
  complete: Complete
  commands: readonly SlashCommand[]
  /** Called when the list of commands opens, with what stands behind the slash: it may be looked up anew. */
  onCommands: (query: string) => void
  /** Prompts of servers among the commands. */
  prompts: readonly McpPrompt[]
  completeArgument: (open: OpenArgument) => Promise<string[]>
}

interface OpenCompletion {
  mention: OpenMention
  found: Completion[]
  chosen: number
}

const DEBOUNCE_MS = 80

/**
 * The popup of files and resources for the `@word` at the caret, of commands for a `/word` at the beginning, and of values behind the command of a prompt. `look` is
 * called after every change of text or caret. `hint` says what the argument is that is being written.
 */
export function useCompletion({ complete, commands, onCommands, prompts, completeArgument }: CompletionSources) {
  const [files, setFiles] = useState<OpenCompletion>()
  const [command, setCommand] = useState<{ mention: OpenMention; chosen: number }>()
  const [hint, setHint] = useState<string>()
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
    setHint(undefined)
  }, [])
  useEffect(() => close, [close])

  /** Looks up what fits; without the list it can still be written. */
  const lookUp = useCallback((mention: OpenMention, find: () => Promise<Completion[]>) => {
    const question = ++asked.current
    clearTimeout(timer.current)
    const show = (found: Completion[]): void => {
      if (question === asked.current) setFiles(found.length > 0 ? { mention, found, chosen: 0 } : undefined)
    }
    timer.current = setTimeout(() => {
      find().then(show, () => show([]))
    }, DEBOUNCE_MS)
  }, [])

  const look = useCallback(
    (text: string, caret: number) => {
      const typed = commandAt(text, caret)
      if (typed) {
        if (dismissed.current === typed.start) return
        close()
        setCommand({ mention: typed, chosen: 0 })
        onCommands(typed.query)
        return
      }
      const mention = mentionAt(text, caret)
      const argument = mention ? undefined : argumentAt(prompts, text, caret)
      setHint(argument && argumentHint(argument))
      if (!mention && !argument) {
        dismissed.current = undefined
        close()
        return
      }
      const { start } = mention ?? argument!
      setCommand(undefined)
      if (dismissed.current === start) return
      if (mention) lookUp(mention, () => complete(mention.query))
      else if (argument)
        lookUp(argument, async () => (await completeArgument(argument)).slice(0, 50).map((value) => ({ value, open: argument })))
    },
    [complete, completeArgument, prompts, onCommands, close, lookUp],
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

  return { open, hint, look, move, close, dismiss }
}
