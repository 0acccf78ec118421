import { useEffect, useRef, useState, type KeyboardEvent } from 'react'
import type { PlanComment } from '../../../shared/model/plan'
import { useEscape } from '../../state/escape'
import { Button } from '../../ui/button'

interface ReviseFormProps {
  text: string
  busy: boolean
  onSend: (reply: { feedback?: string; comments?: PlanComment[] }) => void
  onBack: () => void
}

const MOST = 10_000

/** What should change: in words, and as comments on lines of the plan. Arrow keys move over the lines, Enter comments on one. */
export function ReviseForm({ text, busy, onSend, onBack }: ReviseFormProps) {
  const lines = text.replace(/\r?\n$/, '').split(/\r?\n/)
  const [feedback, setFeedback] = useState('')
  const [comments, setComments] = useState<ReadonlyMap<number, string>>(new Map())
  const [at, setAt] = useState(1)
  const [open, setOpen] = useState<number>()
  const field = useRef<HTMLTextAreaElement>(null)
  const list = useRef<HTMLOListElement>(null)
  useEffect(() => {
    field.current?.focus()
  }, [])
  useEscape('form', true, onBack)
  const said = feedback.trim()
  const given = [...comments].filter(([, note]) => note.trim() !== '').toSorted(([a], [b]) => a - b)
  const canSend = (said !== '' || given.length > 0) && !busy
  const send = (): void => {
    if (!canSend) return
    onSend({
      ...(said !== '' && { feedback: said }),
      ...(given.length > 0 && { comments: given.map(([line, note]) => ({ line, text: note.trim() })) }),
    })
  }
  const go = (line: number): void => {
    setAt(line)
    list.current?.querySelector<HTMLElement>(`[data-line="${line}"]`)?.focus()
  }
  const onLineKey = (event: KeyboardEvent, line: number): void => {
    const next = event.key === 'ArrowDown' ? line + 1 : event.key === 'ArrowUp' ? line - 1 : undefined
    if (next === undefined || next < 1 || next > lines.length) return
    event.preventDefault()
    go(next)
  }
  const close = (line: number): void => {
    setOpen(undefined)
    requestAnimationFrame(() => go(line))
  }
  return (
    <form
      className="revise"
      aria-label="Changes to the plan"
      onSubmit={(event) => {
        event.preventDefault()
        send()
      }}
    >
      <div className="approval-body">
        <ol ref={list} className="revise-lines" aria-label="Lines of the plan">
          {lines.map((line, index) => {
            const n = index + 1
            const note = comments.get(n)
            return (
              <li key={n}>
                <button
                  type="button"
                  data-line={n}
                  tabIndex={n === at ? 0 : -1}
                  aria-label={`Line ${n}: ${line}. Comment on it`}
                  className="revise-line"
                  data-noted={note?.trim() ? true : undefined}
                  onFocus={() => setAt(n)}
                  onKeyDown={(event) => onLineKey(event, n)}
                  onClick={() => setOpen(n)}
                >
                  <span className="revise-n">{n}</span>
                  <span>{line || ' '}</span>
                </button>
                {(open === n || note?.trim()) && (
                  <textarea
                    rows={1}
                    className="revise-note"
                    aria-label={`Comment on line ${n}`}
                    placeholder="What about this line?"
                    value={note ?? ''}
                    maxLength={MOST}
                    autoFocus={open === n}
                    onChange={(event) => setComments(new Map(comments).set(n, event.target.value))}
                    onKeyDown={(event) => {
                      if (event.nativeEvent.isComposing) return
                      if ((event.key === 'Enter' && !event.shiftKey) || event.key === 'Escape') {
                        event.preventDefault()
                        event.stopPropagation()
                        close(n)
                      }
                    }}
                  />
                )}
              </li>
            )
          })}
        </ol>
      </div>
      <div className="approval-reject">
        <textarea
          ref={field}
          rows={1}
          value={feedback}
          maxLength={MOST}
          aria-label="What should change"
          placeholder="What should change? Click a line to comment."
          onChange={(event) => setFeedback(event.target.value)}
          onKeyDown={(event) => {
            if (event.nativeEvent.isComposing) return
            if (event.key === 'Enter' && !event.shiftKey) {
              event.preventDefault()
              if (!event.repeat) send()
            }
          }}
        />
        <Button type="submit" kbd="Enter" disabled={!canSend}>
          Ask for changes{given.length > 0 && ` (${given.length} on lines)`}
        </Button>
        <Button variant="quiet" kbd="Esc" onClick={onBack}>
          Back
        </Button>
      </div>
    </form>
  )
}
