import { Pencil, Trash2 } from 'lucide-react'
import { useEffect, useId, useRef, useState } from 'react'
import type { ReviewComment } from '../../../../shared/model/session/review'
import { useEscape } from '../../../state/page/escape'
import { Button } from '../../../ui/button'
import type { CommentDraft } from './review-rows'

export interface CommentActions {
  edit(comment: ReviewComment): void
  remove(comment: ReviewComment): void
  change(draft: CommentDraft): void
  /** Whether the user just opened the form, so that it takes the focus; the form of a stored draft does not. */
  isOpened(): boolean
  save(draft: CommentDraft): Promise<void>
  cancel(): void
}

interface CommentCardProps {
  comment: ReviewComment
  /** Its lines are not shown here. */
  isAway: boolean
  actions: CommentActions
}

/** An unsent comment. */
export function CommentCard({ comment, isAway, actions }: CommentCardProps) {
  const { gone, text, quote } = comment
  const lines = linesText(comment)
  return (
    <div className="review-comment" role="group" aria-label={`Comment on ${lines}`}>
      <p className="flex items-center gap-2 text-small">
        <b className="font-semibold text-ink">You</b>
        <span className="text-ink-3">{lines}</span>
        {gone && (
          <span className="rounded-sm bg-wait-bg px-1.5 text-tiny text-wait-ink">These lines no longer exist</span>
        )}
        <span className="ml-auto flex gap-0.5">
          <button
            type="button"
            className="review-icon"
            aria-label={`Edit the comment on ${lines}`}
            onClick={() => actions.edit(comment)}
          >
            <Pencil aria-hidden />
          </button>
          <button
            type="button"
            className="review-icon"
            aria-label={`Delete the comment on ${lines}`}
            onClick={() => actions.remove(comment)}
          >
            <Trash2 aria-hidden />
          </button>
        </span>
      </p>
      {(gone || isAway) && quote !== '' && <pre className="review-quote">{quote}</pre>}
      <p className="break-words whitespace-pre-wrap">{text}</p>
    </div>
  )
}

function linesText({ line, endLine, side }: Pick<ReviewComment, 'line' | 'endLine' | 'side'>): string {
  const lines = line === endLine ? `line ${line}` : `lines ${line} to ${endLine}`
  return side === 'old' ? `${lines} before the change` : lines
}

const MAX_CHARS = 10_000

/** The form of a comment: its text, and the lines it is on. Ctrl+Enter saves, Escape closes. */
export function CommentForm({ draft, actions }: { draft: CommentDraft; actions: CommentActions }) {
  const field = useRef<HTMLTextAreaElement>(null)
  const [busy, setBusy] = useState(false)
  const [text, setText] = useState(draft.text)
  const id = useId()
  useEffect(() => {
    if (actions.isOpened()) field.current?.focus({ preventScroll: true })
  }, [actions])
  useEscape('form', true, actions.cancel)
  const change = (part: Partial<CommentDraft>): void => actions.change({ ...draft, text, ...part })
  const save = (): void => {
    if (text.trim() === '' || busy) return
    setBusy(true)
    void actions.save({ ...draft, text }).finally(() => setBusy(false))
  }
  return (
    <form
      className="review-comment"
      aria-label={`Comment on ${linesText(draft)}`}
      onSubmit={(event) => {
        event.preventDefault()
        save()
      }}
    >
      <textarea
        ref={field}
        rows={3}
        value={text}
        maxLength={MAX_CHARS}
        aria-label="Comment"
        placeholder="What should the agent change here?"
        className="review-field"
        onChange={(event) => {
          setText(event.target.value)
          change({ text: event.target.value })
        }}
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
          event.preventDefault()
          save()
        }}
      />
      <div className="mt-1.5 flex flex-wrap items-center gap-2">
        <Button type="submit" size="small" variant="primary" kbd="Mod+Enter" busy={busy} disabled={text.trim() === ''}>
          {draft.id === undefined ? 'Add comment' : 'Save'}
        </Button>
        <Button size="small" variant="quiet" kbd="Esc" onClick={actions.cancel}>
          Cancel
        </Button>
        {draft.id === undefined && (
          <span className="ml-auto flex items-center gap-1 text-small text-ink-3">
            <label htmlFor={`${id}from`}>Lines</label>
            <input
              id={`${id}from`}
              type="number"
              min={1}
              max={draft.endLine}
              value={draft.line}
              className="review-line-field"
              onChange={({ target }) => {
                const line = target.valueAsNumber
                if (line >= 1 && line <= draft.endLine) change({ line })
              }}
            />
            <label htmlFor={`${id}to`}>to</label>
            <input
              id={`${id}to`}
              type="number"
              min={draft.line}
              value={draft.endLine}
              className="review-line-field"
              onChange={({ target }) => {
                const endLine = target.valueAsNumber
                if (endLine >= draft.line) change({ endLine })
              }}
            />
          </span>
        )}
      </div>
    </form>
  )
}
