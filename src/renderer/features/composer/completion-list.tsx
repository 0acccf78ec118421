import { File, Folder, Plug, Slash, TextCursorInput } from 'lucide-react'
import { useEffect, useRef, useCallback, useMemo, useState } from 'react'
import type { McpPrompt, McpResource } from '../../../shared/configuration/customize/mcp-content'
import { visiblePath } from '../../../shared/visible-text'
import {
  commandAt,
  mentionAt,
  type OpenMention,
  argumentAt,
  argumentHint,
  type OpenArgument,
  matchingCommands,
  type SlashCommand,
} from './completion'

interface CompletionListProps {
  id: string
  found: readonly Completion[]
  chosen: number
  onChoose: (completion: Completion) => void
}

export const optionId = (listId: string, index: number): string => `${listId}-${index}`

/**
 * Files and folders, or commands, that match the query. The focus stays in the text; aria-activedescendant identifies
 * the selected one.
 */
export function CompletionList({ id, found, chosen, onChoose }: CompletionListProps) {
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: 'nearest' })
  }, [chosen])
  const [first] = found
  const shown = found[chosen]
  return (
    <>
      <div
        ref={list}
        id={id}
        role="listbox"
        tabIndex={-1}
        aria-label={
          !first || 'path' in first || 'resource' in first ? 'Files' : 'command' in first ? 'Commands' : 'Values'
        }
        className="completion"
      >
        {found.map((completion, index) => (
          <div
            key={keyOf(completion)}
            id={optionId(id, index)}
            role="option"
            aria-selected={index === chosen}
            tabIndex={-1}
            onMouseDown={(event) => {
              // The text keeps the focus.
              event.preventDefault()
              onChoose(completion)
            }}
          >
            <CompletionIcon completion={completion} />
            <span className="completion-name">{nameOf(completion)}</span>
            <span className="completion-folder">{detailOf(completion)}</span>
          </div>
        ))}
      </div>
      <div className="sr-only" aria-live="polite">
        {found.length} to choose from; {shown && `${nameOf(shown)} ${detailOf(shown)}`}
      </div>
    </>
  )
}

function CompletionIcon({ completion }: { completion: Completion }) {
  if ('command' in completion) return <Slash aria-hidden />
  if ('resource' in completion) return <Plug aria-hidden />
  if ('value' in completion) return <TextCursorInput aria-hidden />
  return completion.isFolder ? <Folder aria-hidden /> : <File aria-hidden />
}

function keyOf(completion: Completion): string {
  if ('command' in completion) return completion.command.name
  if ('value' in completion) return completion.value
  return 'resource' in completion ? `${completion.resource.server} ${completion.resource.uri}` : completion.path
}

function nameOf(completion: Completion): string {
  if ('command' in completion) return `/${completion.command.name}`
  if ('value' in completion) return completion.value
  if ('resource' in completion) return completion.resource.title ?? completion.resource.name
  const clean = completion.path.replace(/\/+$/, '')
  return visiblePath(clean.slice(clean.lastIndexOf('/') + 1)) + (completion.isFolder ? '/' : '')
}

function detailOf(completion: Completion): string {
  if ('command' in completion) {
    const { description, origin } = completion.command
    return origin === undefined ? description : `${description} · ${origin}`
  }
  if ('value' in completion) return completion.open.argument.name
  if ('resource' in completion) {
    const { server, uri, isOpen } = completion.resource
    return `${uri}${isOpen ? '…' : ''} · ${server}`
  }
  const clean = completion.path.replace(/\/+$/, '')
  const at = clean.lastIndexOf('/')
  return at < 0 ? '' : visiblePath(clean.slice(0, at))
}

/** A file or folder, a resource of a server, a command, or a value for an argument of a prompt. */
export type Completion =
  | { path: string; isFolder: boolean }
  | { resource: McpResource }
  | { command: SlashCommand }
  | { value: string; open: OpenArgument }

/** Entries for `@`. */
export type Complete = (query: string) => Promise<({ path: string; isFolder: boolean } | { resource: McpResource })[]>

/** The data sources of the popup. */
export interface CompletionSources {
  complete: Complete
  commands: readonly SlashCommand[]
  /** Called when the command list opens, with the text after the slash: may reload it. */
  onCommands: (query: string) => void
  /** MCP prompts among the commands. */
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
 * The popup of files and resources for the `@word` at the caret, of commands for a `/word` at the beginning, and of
 * argument values after the command of a prompt. Call `look` after every change of text or caret. `hint` describes the
 * argument at the caret.
 */
export function useCompletion({ complete, commands, onCommands, prompts, completeArgument }: CompletionSources) {
  const [files, setFiles] = useState<OpenCompletion>()
  const [command, setCommand] = useState<{ mention: OpenMention; chosen: number }>()
  const [hint, setHint] = useState<string>()
  // Commands may arrive after the slash was typed, so the list is built from the current ones.
  const open = useMemo<OpenCompletion | undefined>(() => {
    if (!command) return files
    const found = matchingCommands(commands, command.mention.query).map((fitting) => ({ command: fitting }))
    return found.length > 0 ? { mention: command.mention, found, chosen: command.chosen % found.length } : undefined
  }, [command, commands, files])
  const asked = useRef(0)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  /** The `@` whose popup was closed with Esc stays closed. */
  const dismissed = useRef<number>(undefined)

  const close = useCallback(() => {
    asked.current += 1
    clearTimeout(timer.current)
    setCommand(undefined)
    setFiles(undefined)
    setHint(undefined)
  }, [])
  useEffect(() => close, [close])

  /** Looks up matches; if that fails, typing still works. */
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
        lookUp(argument, async () =>
          (await completeArgument(argument)).slice(0, 50).map((value) => ({ value, open: argument })),
        )
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
