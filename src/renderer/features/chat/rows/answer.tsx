import { ChevronRight } from 'lucide-react'
import { memo, useState } from 'react'
import type { AnswerItem, SupersededAttempt } from '../../../../shared/model/transcript-item'
import { CopyButton } from '../../../ui/content/copy-button'
import { Markdown } from '../markdown/markdown-on-demand'
import { glimpse } from './glimpse'

/** Whether a step has anything to show besides its calls. */
export function isSilent(item: AnswerItem): boolean {
  return item.segments.length === 0 && item.attempts.length === 0 && !item.cut
}

/** What the model said in one step: its thoughts folded, its text, and attempts that broke off. */
export const Answer = memo(function Answer({ item }: { item: AnswerItem }) {
  const last = item.segments.length - 1
  const text = item.segments
    .filter((segment) => segment.type === 'text')
    .map((segment) => segment.text)
    .join('\n\n')
  return (
    <div className="answer">
      {item.attempts.map((attempt) => (
        <Superseded key={attempt.attempt} attempt={attempt} />
      ))}
      {item.segments.map((segment, n) =>
        segment.type === 'thinking' ? (
          <Thinking key={n} text={segment.text} live={item.streaming && n === last} />
        ) : (
          <Markdown key={n} text={segment.text} streaming={item.streaming && n === last} />
        ),
      )}
      {item.cut && <p className="answer-note">The answer was cut off at the model's length limit.</p>}
      {text !== '' && !item.streaming && <CopyButton text={text} label="Copy the answer" className="answer-copy" />}
    </div>
  )
})

/** Thoughts: one quiet line, more on request. */
function Thinking({ text, live }: { text: string; live: boolean }) {
  const [open, setOpen] = useState(false)
  return (
    <div className="thinking">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden />
        <b>{live ? 'Thinking' : 'Thought'}</b>
        {!open && <span>{glimpse(text, live)}</span>}
      </button>
      {open && (
        <div className="thinking-text" tabIndex={0} role="group" aria-label="Thoughts">
          <Markdown text={text.trim()} streaming={live} />
        </div>
      )}
    </div>
  )
}

function Superseded({ attempt }: { attempt: SupersededAttempt }) {
  const [open, setOpen] = useState(false)
  const said = [attempt.thinking, attempt.text].filter((part) => part !== '').join('\n\n')
  return (
    <div className="superseded">
      <button type="button" aria-expanded={said === '' ? undefined : open} disabled={said === ''} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden />
        <span>
          Attempt {attempt.attempt} failed: {attempt.failure.title}
        </span>
        <span className="superseded-message">{attempt.failure.message}</span>
      </button>
      {open && (
        <p className="superseded-text">
          <span className="sr-only">Discarded: </span>
          {said}
        </p>
      )}
    </div>
  )
}
