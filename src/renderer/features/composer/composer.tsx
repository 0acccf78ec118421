import './composer.css'
import {
  useEffect,
  useEffectEvent,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
  type ReactNode,
  type Ref,
} from 'react'
import { errorText } from '../../../shared/error-text'
import { commandName, type McpPrompt } from '../../../shared/configuration/customize/mcp-content'
import { typedText, type UserPart } from '../../../shared/model/turn/message'
import type { DroppedPath } from '../../state/page/desktop-bridge'
import { useMentions } from '../../state/session/mentions'
import { useMediaQuery } from '../../state/page/layout-state'
import { pageDrafts } from '../../state/drafts/page-drafts'
import { attachmentsOf, isImage, isUnkept, messageOf, type Attachment } from '../../state/attachments/attachment'
import { useFileDrop } from '../../state/attachments/file-drop'
import { keepFiles } from '../../state/attachments/kept-files'
import { useAttachments } from '../../state/attachments/use-attachments'
import { useClient } from '../../state/page/queries'
import { AttachmentList } from '../../ui/content/attachment-list'
import { cx } from '../../ui/cx'
import { isShortcut, shortcutText } from '../../format/shortcut'
import {
  CompletionList,
  optionId,
  useCompletion,
  type Complete,
  type Completion,
  type CompletionSources,
} from './completion-list'
import { ComposerRow, KeysHint, OutgoingList, type Outgoing } from './composer-row'
import {
  isCommandAlone,
  withArgument,
  withMention,
  withPaths,
  withResource,
  type OpenMention,
  type SlashCommand,
} from './completion'
import { PersistedDraft, promptHistory, isAtTextEdge, startWalk, stepHistory, type HistoryWalk } from './draft'
import { useArrived, useTracking } from './use-arrived'

export interface ComposerHandle {
  focus(): void
  /** Replaces the text of the field, to be sent or edited. */
  fill(text: string): void
  /** Adds text at the end. */
  add(text: string): void
  /** Inserts a restored message before the current text. `files`: its files that are not stored yet. */
  restoreMessage(parts: readonly UserPart[], files?: readonly File[]): void
}

export interface ComposerProps {
  sessionId: string
  /** A turn runs: Enter queues, and the stop button is shown. */
  busy: boolean
  /** The next Escape stops the turn. */
  stopsNext?: boolean
  /** Why nothing can be sent at the moment; typing is still possible. */
  blocked?: ReactNode
  /** The model accepts images. */
  imagesIn: boolean
  /** The project folder: files in it are mentioned by relative path. */
  folder?: string | undefined
  /** Each rejects on failure; then the text is restored. */
  onSend: (parts: UserPart[]) => Promise<unknown>
  onSteer: (parts: UserPart[]) => Promise<unknown>
  onStop: () => void
  /** Switches to the next permission mode. */
  onNextMode: () => void
  complete: Complete
  /** The commands for `/` at the beginning. */
  commands: readonly SlashCommand[]
  onCommands: (query: string) => void
  /** MCP prompts among them, and values for their arguments. */
  prompts: readonly McpPrompt[]
  completeArgument: CompletionSources['completeArgument']
  /** Below the field: the session's switches. */
  controls?: ReactNode
  /** Above the field: the queue. */
  above?: ReactNode
  ref?: Ref<ComposerHandle>
}

/** The message editor. One instance per session (mounted with the session as its key). */
export function Composer({
  sessionId,
  busy,
  stopsNext = false,
  blocked,
  imagesIn,
  folder,
  onSend,
  onSteer,
  onStop,
  onNextMode,
  complete,
  commands,
  onCommands,
  prompts,
  completeArgument,
  controls,
  above,
  ref,
}: ComposerProps) {
  const [draft] = useState(() => new PersistedDraft(sessionId, pageDrafts))
  const [text, setText] = useState(() => draft.text)
  const field = useRef<HTMLTextAreaElement>(null)
  const walk = useRef<HistoryWalk>(undefined)
  const caret = useRef<number>(undefined)
  /** In flight; MCP resources they mention may have to be fetched first. */
  const [outgoing, setOutgoing] = useState<readonly Outgoing[]>([])
  const track = useTracking(sessionId, draft)
  const client = useClient()
  const files = useAttachments(sessionId, sessionId)
  const { attachments, setAttachments, problem, setProblem, reading, add, remove } = files
  const touch = useMediaQuery('(pointer: coarse), (max-width: 719px)')
  const completion = useCompletion({ complete, commands, onCommands, prompts, completeArgument })
  const nameFiles = (paths: readonly DroppedPath[]): void => {
    const at = field.current?.selectionStart ?? text.length
    const next = withPaths(text, at, paths, folder)
    write(next.text, next.caret)
    field.current?.focus()
  }
  const drop = useFileDrop({
    imagesIn,
    folder,
    add: (chosen) => void add(chosen),
    name: nameFiles,
    showProblem: setProblem,
  })
  useEffect(() => draft.save(text), [draft, text])
  // The attachments of arrived messages are among those that are still being read.
  useArrived({ sessionId, draft, isReady: !reading }, (rest, arrived) => {
    setText(rest)
    setAttachments((now) => now.filter(({ id }) => !arrived.some((message) => message.files.includes(id))))
  })
  useEffect(() => draft.open(), [draft])
  const listId = useId()
  const hintId = useId()

  const write = (value: string, at?: number): void => {
    caret.current = at
    setText(value)
  }
  const nameAsked = useEffectEvent((paths: readonly DroppedPath[]) => nameFiles(paths))
  useEffect(() => {
    // Ignore requests from before this composer was mounted.
    const last = useMentions.getState().asked?.id
    return useMentions.subscribe(({ asked }) => {
      if (asked && asked.id !== last && asked.sessionId === sessionId) nameAsked(asked.paths)
    })
  }, [sessionId])
  useImperativeHandle(ref, () => ({
    focus: () => field.current?.focus(),
    fill: (value) => {
      write(value, value.length)
      field.current?.focus()
    },
    add: (value) => {
      const next = text.trim() === '' ? value : `${text.trimEnd()}\n\n${value}`
      write(next, next.length)
      field.current?.focus()
    },
    restoreMessage: (parts, unkept = []) => {
      setText((now) => [typedText(parts), now].filter((words) => words.trim() !== '').join('\n\n'))
      setAttachments((now) => [...attachmentsOf(parts), ...unkept.map(unkeptAttachment), ...now])
      field.current?.focus()
    },
  }))
  // The caret position after a programmatic change of the text; set once that text is in the field.
  useLayoutEffect(() => {
    if (caret.current === undefined) return
    field.current?.setSelectionRange(caret.current, caret.current)
    caret.current = undefined
  })
  const blockedByPictures = !imagesIn && attachments.some(({ part }) => isImage(part))
  const empty = text.trim() === '' && attachments.length === 0
  const canSend = !empty && blocked === undefined && !blockedByPictures && !reading

  /** The text the user tried to send while sending was blocked; the composer then says why. */
  const [refused, setRefused] = useState<string>()
  const submit = (how: (parts: UserPart[]) => Promise<unknown>): void => {
    if (!canSend) return setRefused(empty ? undefined : text)
    setRefused(undefined)
    const sent: Outgoing = { text, attachments }
    write('')
    setProblem(undefined)
    walk.current = undefined
    completion.close()
    setOutgoing((now) => [...now, sent])
    const releases = [track({ text, files: attachments.map(({ id }) => id) }), files.takeAll()]
    const over = (arrived: boolean): void => {
      setOutgoing((now) => now.filter((one) => one !== sent))
      for (const release of releases) release(arrived)
    }
    let unsent = sent.attachments
    const send = async (): Promise<unknown> => {
      const { attachments: kept, failure } = await keepFiles(sent.attachments, { client, sessionId })
      unsent = kept
      if (failure === undefined) return how(messageOf(sent.text, kept))
      setProblem(`The message was not sent. ${errorText(failure)}`)
      throw failure
    }
    const done = sent.attachments.some(isUnkept) ? send() : how(messageOf(sent.text, sent.attachments))
    done.then(
      () => over(true),
      () => over(false),
    )
    done.then(
      () => promptHistory.remember(sessionId, sent.text),
      () => {
        // It did not arrive: keep its text and whatever was typed since.
        setText((now) => (now.trim() === '' ? sent.text : `${sent.text}\n\n${now}`))
        setAttachments((now) => [...unsent, ...now])
      },
    )
  }

  const choose = (chosen: Completion): void => {
    if (!completion.open) return
    if ('command' in chosen) return chooseCommand(chosen.command, completion.open.mention)
    if ('value' in chosen) {
      const next = withArgument(text, chosen.open, chosen.value)
      write(next.text, next.caret)
      return completion.close()
    }
    if ('resource' in chosen) {
      const { server, uri, isOpen = false } = chosen.resource
      const next = withResource(text, completion.open.mention, `${commandName(server)}:${uri}`, isOpen)
      write(next.text, next.caret)
      return isOpen ? completion.look(next.text, next.caret) : completion.close()
    }
    const { path, isFolder } = chosen
    const next = withMention(text, completion.open.mention, path, isFolder)
    write(next.text, next.caret)
    if (isFolder) completion.look(next.text, next.caret)
    else completion.close()
  }

  const chooseCommand = ({ name, run }: SlashCommand, { end }: OpenMention): void => {
    completion.close()
    const rest = text.slice(end).replace(/^\s+/, '')
    if (run) {
      write(rest)
      run()
    } else {
      write(`/${name} ${rest}`, name.length + 2)
      completion.look(`/${name} ${rest}`, name.length + 2)
    }
  }

  const walkHistory = (event: KeyboardEvent<HTMLTextAreaElement>, direction: -1 | 1): void => {
    const { selectionStart, selectionEnd } = event.currentTarget
    if (!isAtTextEdge(text, selectionStart, selectionEnd, direction)) return
    const next = stepHistory(walk.current ?? startWalk(promptHistory.of(sessionId)), direction, text)
    if (!next) return
    event.preventDefault()
    walk.current = next.walk
    write(next.text, next.text.length)
  }

  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>): void => {
    // During IME composition every key belongs to the input method (229: browsers that report it late).
    if (event.nativeEvent.isComposing || event.keyCode === 229) return
    const { open } = completion
    if (open && !event.ctrlKey && !event.metaKey && !event.altKey) {
      const chosen = open.found[open.chosen]
      if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
        event.preventDefault()
        return completion.move(event.key === 'ArrowDown' ? 1 : -1)
      }
      if ((event.key === 'Enter' || event.key === 'Tab') && !event.shiftKey && chosen) {
        event.preventDefault()
        // Its whole name is typed, so there is nothing to complete.
        if (event.key === 'Enter' && 'command' in chosen && chosen.command.send && isCommandAlone(text, chosen.command))
          return submit(onSend)
        return choose(chosen)
      }
      if (event.key === 'Escape') {
        event.preventDefault()
        event.stopPropagation()
        return completion.dismiss()
      }
    }
    if (isShortcut(event, 'Mod+S')) {
      event.preventDefault()
      submit(busy ? onSteer : onSend)
    } else if (isShortcut(event, 'Shift+Tab')) {
      event.preventDefault()
      onNextMode()
    } else if (isShortcut(event, 'Ctrl+J')) {
      event.preventDefault()
      const { selectionStart, selectionEnd } = event.currentTarget
      write(`${text.slice(0, selectionStart)}\n${text.slice(selectionEnd)}`, selectionStart + 1)
    } else if (event.key === 'Enter' && !event.shiftKey && !event.altKey) {
      event.preventDefault()
      submit(onSend)
    } else if (
      (event.key === 'ArrowUp' || event.key === 'ArrowDown') &&
      !event.shiftKey &&
      !event.altKey &&
      !event.ctrlKey &&
      !event.metaKey
    ) {
      walkHistory(event, event.key === 'ArrowUp' ? -1 : 1)
    }
  }

  const [key, more] = busy
    ? ['Enter to queue', `${shortcutText('Mod+S')} to send now · Esc twice to stop`]
    : ['Enter to send', 'Shift Enter for a new line']
  const keys = touch ? undefined : <KeysHint main={key} more={more} />
  const hint = stopsNext
    ? 'Press Esc again to stop'
    : (blocked ?? completion.hint ?? (outgoing.length > 0 ? 'Sending…' : reading ? 'Reading files…' : keys))
  const why = blocked ?? (reading ? 'A file is still being read.' : undefined)
  const note = blockedByPictures ? (
    'This model doesn’t support images. Remove them, or choose another model.'
  ) : refused === text && why !== undefined ? (
    <>Not sent. {why}</>
  ) : (
    problem
  )
  return (
    <div className="composer">
      {above}
      <OutgoingList messages={outgoing} />
      <div
        className={cx('composer-box', drop.dragging && 'composer-dragging')}
        onDragOver={drop.onDragOver}
        onDragLeave={drop.onDragLeave}
        onDrop={drop.onDrop}
      >
        {completion.open && (
          <CompletionList id={listId} found={completion.open.found} chosen={completion.open.chosen} onChoose={choose} />
        )}
        <AttachmentList attachments={attachments} onRemove={remove} />
        <textarea
          ref={field}
          id={`composer-${sessionId}`}
          data-composer={text === '' && attachments.length === 0 ? 'empty' : 'filled'}
          rows={1}
          value={text}
          placeholder="Message, @file, /command …"
          aria-label="Message"
          aria-describedby={hintId}
          aria-autocomplete="list"
          aria-controls={completion.open ? listId : undefined}
          aria-activedescendant={completion.open ? optionId(listId, completion.open.chosen) : undefined}
          spellCheck
          dir="auto"
          onChange={(event) => {
            setText(event.target.value)
            walk.current = undefined
            completion.look(event.target.value, event.target.selectionStart)
          }}
          onSelect={(event) => {
            if (completion.open) completion.look(text, event.currentTarget.selectionStart)
          }}
          onBlur={completion.close}
          onKeyDown={onKeyDown}
          onPaste={drop.onPaste}
        />
        {note !== undefined && (
          <p role="alert" className="composer-note">
            {note}
          </p>
        )}
        <ComposerRow
          busy={busy}
          stopsNext={stopsNext}
          canSend={canSend}
          hint={hint}
          hintId={hintId}
          controls={controls}
          onFiles={drop.addFiles}
          onSend={() => submit(onSend)}
          onStop={onStop}
        />
      </div>
    </div>
  )
}

function unkeptAttachment(file: File): Attachment {
  return { id: crypto.randomUUID(), part: { type: 'unkept', file }, bytes: file.size }
}
