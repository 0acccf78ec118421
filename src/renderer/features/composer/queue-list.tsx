import './queue.css'
import { CornerDownRight, GripVertical, ListEnd, ListPlus, Pencil, X } from 'lucide-react'
import { useEffect, useEffectEvent, useRef, useState, type DragEvent } from 'react'
import { isUserProvided, typedText, type UserPart } from '../../../shared/model/turn/message'
import type { QueuedPrompt } from '../../../shared/model/session/session'
import { attachmentsOf, messageOf } from '../../state/attachments/attachment'
import { showNoticeToast, showToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'

const LEFT_OVER = 'The queued prompt was sent or removed before your change was saved. Your text is in the message box.'

/** Maximum number of characters of a prompt in its tooltip. */
const SHOWN_CHARS = 2000

const REPLACED = 'Your change replaced one made in another window.'

interface QueueListProps {
  queue: readonly QueuedPrompt[]
  /** A turn runs: a prompt sent now joins it. */
  busy: boolean
  disabled: boolean
  onSendNow: (promptId: string) => void
  /** Rejects when it could not be changed. */
  onEdit: (promptId: string, parts: UserPart[]) => Promise<unknown>
  onRemove: (promptId: string) => void
  /** `to`: its new position in the queue, from 0. */
  onMove: (promptId: string, to: number) => Promise<unknown>
  /** The edited text of a prompt that was sent or removed during the edit. */
  onLeftOver: (text: string) => void
}

/** A prompt that is being edited: its text at the start of the edit, and its current text. */
interface Editing {
  promptId: string
  before: string
  text: string
}

/** Prompts queued until the turn ends, above the composer. */
export function QueueList({ queue, busy, disabled, onSendNow, onEdit, onRemove, onMove, onLeftOver }: QueueListProps) {
  const [editing, setEditing] = useState<Editing>()
  const [dragged, setDragged] = useState<string>()
  const [over, setOver] = useState<string>()
  const { order, move } = useMoves(queue, onMove)
  const list = useRef<HTMLUListElement>(null)
  // Scroll a newly added prompt into view.
  const count = useRef(queue.length)
  useEffect(() => {
    if (queue.length > count.current) list.current?.lastElementChild?.scrollIntoView({ block: 'nearest' })
    count.current = queue.length
  }, [queue.length])
  const isGone = editing !== undefined && !queue.some(({ promptId }) => promptId === editing.promptId)
  const [left, setLeft] = useState<{ text: string }>()
  if (isGone) {
    setEditing(undefined)
    if (editing.text !== editing.before && editing.text.trim() !== '') setLeft({ text: editing.text })
  }
  const passed = useRef<{ text: string }>(undefined)
  const passOn = useEffectEvent(onLeftOver)
  useEffect(() => {
    if (!left || passed.current === left) return
    passed.current = left
    passOn(left.text)
    showNoticeToast(LEFT_OVER, 'warning')
  }, [left])
  if (queue.length === 0) return null
  // Prompts that join the running turn come before those queued until its end.
  const shown = busy ? [...order.filter(({ joins }) => joins), ...order.filter(({ joins }) => !joins)] : order
  const next = busy ? order.find(({ joins }) => !joins) : order[0]
  const waiting = shown.filter(({ joins }) => !(busy && joins))
  /** Moves it to the position of another queued prompt. */
  const moveTo = (promptId: string, place: QueuedPrompt | undefined): void => {
    if (place && place.promptId !== promptId) move(promptId, order.indexOf(place))
  }
  const step = (prompt: QueuedPrompt, key: string): void => {
    const at = waiting.indexOf(prompt)
    const to = { ArrowUp: at - 1, ArrowDown: at + 1, Home: 0, End: waiting.length - 1 }[key]
    if (to !== undefined) moveTo(prompt.promptId, waiting[to])
  }
  const edit = (prompt: QueuedPrompt): void => {
    const before = textIn(prompt)
    setEditing({ promptId: prompt.promptId, before, text: before })
  }
  const save = async (prompt: QueuedPrompt, { before, text }: Editing): Promise<void> => {
    setEditing(undefined)
    const { promptId } = prompt
    const theirs = textIn(prompt)
    try {
      await onEdit(promptId, partsWith(prompt, text))
    } catch {
      // The prompt was sent just before.
      return onLeftOver(text)
    }
    if (theirs === before || theirs === text) return
    const undo = (): void => void onEdit(promptId, partsWith(prompt, theirs)).catch(() => undefined)
    showToast(REPLACED, { label: 'Undo', run: undo })
  }
  const dragging = (prompt: QueuedPrompt) => ({
    'data-over': (over === prompt.promptId && dragged !== prompt.promptId) || undefined,
    onDragOver: (event: DragEvent) => {
      if (dragged === undefined || !waiting.includes(prompt)) return
      event.preventDefault()
      setOver(prompt.promptId)
    },
    onDrop: (event: DragEvent) => {
      if (dragged === undefined) return
      event.preventDefault()
      moveTo(dragged, prompt)
    },
    onDragEnd: () => {
      setDragged(undefined)
      setOver(undefined)
    },
  })
  return (
    <ul ref={list} className="queue" aria-label="Queued prompts">
      {shown.map((prompt) => (
        <li key={prompt.promptId} data-joins={(busy && prompt.joins) || undefined} {...dragging(prompt)}>
          {editing?.promptId === prompt.promptId ? (
            <EditPrompt
              prompt={prompt}
              text={editing.text}
              onChange={(text) => setEditing({ ...editing, text })}
              onSave={() => void save(prompt, editing)}
              onCancel={() => setEditing(undefined)}
            />
          ) : (
            <>
              {busy && prompt.joins ? (
                <ListPlus aria-hidden />
              ) : waiting.length > 1 && !disabled ? (
                <button
                  type="button"
                  className="queue-grip"
                  draggable
                  aria-label={`Move ${quoted(prompt)}, place ${waiting.indexOf(prompt) + 1} of ${waiting.length}`}
                  title="Drag, or press the up and down arrow keys"
                  aria-keyshortcuts="ArrowUp ArrowDown Home End"
                  onDragStart={(event) => {
                    event.dataTransfer.setData('text/plain', textIn(prompt))
                    event.dataTransfer.effectAllowed = 'move'
                    setDragged(prompt.promptId)
                  }}
                  onKeyDown={(event) => {
                    if (!['ArrowUp', 'ArrowDown', 'Home', 'End'].includes(event.key)) return
                    event.preventDefault()
                    step(prompt, event.key)
                  }}
                >
                  <GripVertical aria-hidden />
                </button>
              ) : (
                <ListEnd aria-hidden />
              )}
              <span className="queue-text" title={textIn(prompt).slice(0, SHOWN_CHARS)}>
                {!(busy && prompt.joins) && prompt === next ? 'Next: ' : ''}“{queuedPromptText(prompt)}”
              </span>
              {busy && prompt.joins && <span className="queue-joins">Sends at the next step</span>}
              <span className="queue-acts">
                {!(busy && prompt.joins) && (
                  <button
                    type="button"
                    disabled={disabled}
                    aria-label={`Send now: ${quoted(prompt)}`}
                    onClick={() => onSendNow(prompt.promptId)}
                    title={busy ? 'Sends before the next step' : 'Starts a turn with this message'}
                  >
                    <CornerDownRight aria-hidden />
                    <span>Send now</span>
                  </button>
                )}
                <button
                  type="button"
                  aria-label={`Edit: ${quoted(prompt)}`}
                  disabled={disabled}
                  onClick={() => edit(prompt)}
                >
                  <Pencil aria-hidden />
                  <span>Edit</span>
                </button>
                <button
                  type="button"
                  aria-label={`Remove: ${quoted(prompt)}`}
                  disabled={disabled}
                  onClick={() => onRemove(prompt.promptId)}
                >
                  <X aria-hidden />
                  <span>Remove</span>
                </button>
              </span>
            </>
          )}
        </li>
      ))}
    </ul>
  )
}

/** Identifies the prompt in the labels of its buttons, for users of screen readers. */
function quoted(prompt: QueuedPrompt): string {
  return `“${queuedPromptText(prompt).slice(0, 60)}”`
}

interface Move {
  promptId: string
  to: number
}

/** The order including unconfirmed moves, so that each of several quick key presses moves by one position. */
function useMoves(queue: readonly QueuedPrompt[], onMove: QueueListProps['onMove']) {
  const [moves, setMoves] = useState<readonly Move[]>([])
  const waiting = useRef<Move[]>([])
  const isSending = useRef(false)
  const [sends, setSends] = useState(false)
  const [last, setLast] = useState(queue)
  if (last !== queue) {
    setLast(queue)
    if (!sends) setMoves([])
  }
  const order = [...queue]
  for (const { promptId, to } of moves) {
    const from = order.findIndex((prompt) => prompt.promptId === promptId)
    if (from >= 0) order.splice(to, 0, ...order.splice(from, 1))
  }
  const move = (promptId: string, to: number): void => {
    // Of several moves of one prompt only the last is sent.
    if (waiting.current.at(-1)?.promptId === promptId) waiting.current.pop()
    waiting.current.push({ promptId, to })
    setMoves((now) => [
      ...now.filter((one, index) => index < now.length - 1 || one.promptId !== promptId),
      { promptId, to },
    ])
    if (!isSending.current) void send()
  }
  const send = async (): Promise<void> => {
    isSending.current = true
    setSends(true)
    for (let next = waiting.current.shift(); next; next = waiting.current.shift())
      // The caller shows a failure; the previous order is restored.
      await onMove(next.promptId, next.to).catch(() => setMoves([]))
    isSending.current = false
    setSends(false)
  }
  return { order, move }
}

function EditPrompt({
  prompt,
  text,
  onChange,
  onSave,
  onCancel,
}: {
  prompt: QueuedPrompt
  text: string
  onChange: (text: string) => void
  onSave: () => void
  onCancel: () => void
}) {
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    const at = field.current?.value.length ?? 0
    field.current?.focus()
    field.current?.setSelectionRange(at, at)
  }, [])
  const canSave = partsWith(prompt, text).length > 0
  const save = (): void => {
    if (canSave) onSave()
  }
  return (
    <form
      className="queue-edit"
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <textarea
        ref={field}
        value={text}
        aria-label="Edit the queued prompt"
        onChange={(event) => onChange(event.target.value)}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return
          if (event.key === 'Enter' && !event.shiftKey) {
            event.preventDefault()
            save()
          } else if (event.key === 'Escape') {
            event.preventDefault()
            event.stopPropagation()
            onCancel()
          }
        }}
      />
      <Button type="submit" size="small" disabled={!canSave}>
        Save
      </Button>
      <Button size="small" variant="quiet" onClick={onCancel}>
        Cancel
      </Button>
    </form>
  )
}

/** The parts of the prompt with its text replaced. */
function partsWith({ parts }: QueuedPrompt, text: string): UserPart[] {
  return messageOf(text, attachmentsOf(parts.filter(isUserProvided)))
}

/** The typed text, without attached files and the instructions of skills. */
function textIn({ parts }: QueuedPrompt): string {
  return typedText(parts.filter(isUserProvided))
}

function queuedPromptText(prompt: QueuedPrompt): string {
  const text = textIn(prompt).slice(0, 300).replace(/\s+/g, ' ').trim()
  const files = attachmentsOf(prompt.parts.filter(isUserProvided)).length
  const attachments = files === 0 ? '' : files === 1 ? '1 attachment' : `${files} attachments`
  return [text, attachments].filter((part) => part !== '').join(' · ')
}
