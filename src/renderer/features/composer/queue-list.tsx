import './queue.css'
import { CornerDownRight, GripVertical, ListEnd, ListPlus, Pencil, X } from 'lucide-react'
import { useEffect, useRef, useState, type DragEvent } from 'react'
import { withoutDerivedMedia, isUserProvided, textOf, type UserPart } from '../../../shared/model/message'
import type { QueuedPrompt } from '../../../shared/model/session'
import { Button } from '../../ui/button'

interface QueueListProps {
  queue: readonly QueuedPrompt[]
  /** A turn runs: a prompt sent now joins it. */
  busy: boolean
  disabled: boolean
  onSendNow: (promptId: string) => void
  onEdit: (promptId: string, parts: UserPart[]) => void
  onRemove: (promptId: string) => void
  /** `to`: its new place in the queue, from 0. */
  onMove: (promptId: string, to: number) => void
}

/** Prompts queued until the turn ends, above the composer. */
export function QueueList({ queue, busy, disabled, onSendNow, onEdit, onRemove, onMove }: QueueListProps) {
  const [editing, setEditing] = useState<string>()
  const [dragged, setDragged] = useState<string>()
  const [over, setOver] = useState<string>()
  if (queue.length === 0) return null
  // Prompts that join the running turn come before those queued until its end.
  const shown = busy ? [...queue.filter(({ joins }) => joins), ...queue.filter(({ joins }) => !joins)] : queue
  const next = busy ? queue.find(({ joins }) => !joins) : queue[0]
  const waiting = shown.filter(({ joins }) => !(busy && joins))
  /** Moves it to the place of another prompt that waits. */
  const moveTo = (promptId: string, place: QueuedPrompt | undefined): void => {
    if (place && place.promptId !== promptId) onMove(promptId, queue.indexOf(place))
  }
  const step = (prompt: QueuedPrompt, by: 1 | -1): void =>
    moveTo(prompt.promptId, waiting[waiting.indexOf(prompt) + by])
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
    <ul className="queue" aria-label="Queued prompts">
      {shown.map((prompt) => (
        <li key={prompt.promptId} data-joins={(busy && prompt.joins) || undefined} {...dragging(prompt)}>
          {editing === prompt.promptId ? (
            <EditPrompt
              prompt={prompt}
              onSave={(parts) => {
                setEditing(undefined)
                onEdit(prompt.promptId, parts)
              }}
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
                  aria-label={`Move “${queuedPromptText(prompt.parts).slice(0, 60)}”, place ${waiting.indexOf(prompt) + 1} of ${waiting.length}`}
                  title="Drag, or press the up and down arrow keys"
                  aria-keyshortcuts="ArrowUp ArrowDown"
                  onDragStart={(event) => {
                    event.dataTransfer.setData('text/plain', textOf(prompt.parts.filter(isUserProvided)))
                    event.dataTransfer.effectAllowed = 'move'
                    setDragged(prompt.promptId)
                  }}
                  onKeyDown={(event) => {
                    if (event.key !== 'ArrowUp' && event.key !== 'ArrowDown') return
                    event.preventDefault()
                    step(prompt, event.key === 'ArrowUp' ? -1 : 1)
                  }}
                >
                  <GripVertical aria-hidden />
                </button>
              ) : (
                <ListEnd aria-hidden />
              )}
              <span className="queue-text" title={textOf(prompt.parts.filter(isUserProvided))}>
                {!(busy && prompt.joins) && prompt === next ? 'Next: ' : ''}“{queuedPromptText(prompt.parts)}”
              </span>
              {busy && prompt.joins && <span className="queue-joins">Sends at the next step</span>}
              <span className="queue-acts">
                {!(busy && prompt.joins) && (
                  <button
                    type="button"
                    disabled={disabled}
                    onClick={() => onSendNow(prompt.promptId)}
                    title={busy ? 'Sends before the next step' : 'Starts a turn with it'}
                  >
                    <CornerDownRight aria-hidden />
                    <span>Send now</span>
                  </button>
                )}
                <button type="button" disabled={disabled} onClick={() => setEditing(prompt.promptId)}>
                  <Pencil aria-hidden />
                  <span>Edit</span>
                </button>
                <button type="button" disabled={disabled} onClick={() => onRemove(prompt.promptId)}>
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

function EditPrompt({
  prompt,
  onSave,
  onCancel,
}: {
  prompt: QueuedPrompt
  onSave: (parts: UserPart[]) => void
  onCancel: () => void
}) {
  const [text, setText] = useState(() => textOf(prompt.parts.filter(isUserProvided)))
  const field = useRef<HTMLTextAreaElement>(null)
  useEffect(() => {
    field.current?.focus()
  }, [])
  const media = prompt.parts.flatMap((part) =>
    part.type === 'media' && isUserProvided(part) ? [withoutDerivedMedia(part)] : [],
  )
  const canSave = text.trim() !== '' || media.length > 0
  const save = (): void => {
    if (!canSave) return
    onSave([...media, ...(text.trim() === '' ? [] : [{ type: 'text' as const, text }])])
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
        onChange={(event) => setText(event.target.value)}
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

function queuedPromptText(parts: readonly UserPart[]): string {
  const own = parts.filter(isUserProvided)
  const text = textOf(own).slice(0, 300).replace(/\s+/g, ' ').trim()
  const media = own.filter((part) => part.type === 'media').length
  const attachments = media === 0 ? '' : media === 1 ? '1 attachment' : `${media} attachments`
  return [text, attachments].filter((part) => part !== '').join(' · ')
}
