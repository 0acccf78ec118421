import { ChevronRight } from 'lucide-react'
import { memo, useState } from 'react'
import type { TurnFigures, AnswerItem, SupersededAttempt } from '../../../../shared/events/transcript-item'
import { answerText, TurnFooter } from './turn-footer'
import { thinkingKey, useOpenRows } from './open-rows'
import { CopyButton } from '../../../ui/content/copy-button'
import { Markdown } from '../markdown/markdown-on-demand'

/** Whether a step has anything to show besides its calls. */
export function isSilent(item: AnswerItem): boolean {
  return item.segments.length === 0 && item.attempts.length === 0
}

/** The model's output in one step: collapsed thoughts, text, and failed attempts. */
export const Answer = memo(function Answer({
  sessionId,
  item,
  figures,
}: {
  sessionId: string
  item: AnswerItem
  /** Of the turn that it ends. */
  figures: TurnFigures | undefined
}) {
  const last = item.segments.length - 1
  const text = answerText(item.segments)
  return (
    <div className="answer">
      {attemptGroups(item.attempts).map((group) => (
        <Superseded key={group.first} group={group} />
      ))}
      {item.segments.map((segment, n) =>
        segment.type === 'thinking' ? (
          <Thinking key={n} id={item.id} text={segment.text} live={item.streaming && n === last} />
        ) : (
          <Markdown
            key={n}
            text={segment.text}
            streaming={item.streaming && n === last}
            id={`${sessionId}/${item.id}/${n}`}
          />
        ),
      )}
      {item.ended && figures ? (
        <TurnFooter sessionId={sessionId} text={text} figures={figures} seq={item.ended.seq} turnId={item.turnId} />
      ) : (
        text !== '' && !item.streaming && <CopyButton text={text} label="Copy the answer" className="answer-copy" />
      )}
    </div>
  )
})

/** Thoughts: one muted line, expandable. */
function Thinking({ id, text, live }: { id: string; text: string; live: boolean }) {
  const key = thinkingKey(id)
  const open = useOpenRows((state) => state.open.has(key))
  return (
    <div className="thinking">
      <button type="button" aria-expanded={open} onClick={() => useOpenRows.getState().toggle(key)}>
        <ChevronRight aria-hidden />
        <b>{live ? 'Thinking' : 'Thought'}</b>
        {!open && <span>{thoughtPreview(text, live)}</span>}
      </button>
      {open && (
        <div className="thinking-text" tabIndex={0} role="group" aria-label="Thoughts">
          <Markdown text={text.trim()} streaming={live} id={key} />
        </div>
      )}
    </div>
  )
}

/** Attempts in a row that failed for the same reason. */
interface AttemptGroup {
  first: number
  last: number
  failure: SupersededAttempt['failure']
  /** What the model had sent before it failed. */
  output: string
}

/** Ten attempts at an overloaded model are one line. An attempt with output has its own. */
export function attemptGroups(attempts: readonly SupersededAttempt[]): AttemptGroup[] {
  const groups: AttemptGroup[] = []
  for (const { attempt, failure, thinking, text } of attempts) {
    const output = [thinking, text].filter((part) => part !== '').join('\n\n')
    const before = groups.at(-1)
    const isSame = before?.failure.title === failure.title && before.failure.message === failure.message
    if (before && isSame && before.output === '' && output === '') before.last = attempt
    else groups.push({ first: attempt, last: attempt, failure, output })
  }
  return groups
}

function Superseded({ group: { first, last, failure, output } }: { group: AttemptGroup }) {
  const [open, setOpen] = useState(false)
  const what = (
    <>
      <span>
        {first === last ? `Attempt ${first}` : `Attempts ${first} to ${last}`} failed: {failure.title}
      </span>
      <span className="superseded-message">{failure.message}</span>
    </>
  )
  if (output === '')
    return (
      <div className="superseded">
        <p>{what}</p>
      </div>
    )
  return (
    <div className="superseded">
      <button type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <ChevronRight aria-hidden />
        {what}
      </button>
      {open && (
        <p className="superseded-text">
          <span className="sr-only">Discarded: </span>
          {output}
        </p>
      )}
    </div>
  )
}

const MAX_CHARS = 160
/** Maximum length of text that is read for its one-line summary. */
const SCANNED_CHARS = 400

/** One line of thoughts for a collapsed row: the latest while thinking, else the first. */
export function thoughtPreview(text: string, live: boolean): string {
  const line =
    (live
      ? text.trimEnd().slice(-SCANNED_CHARS).split('\n').at(-1)
      : text.trimStart().slice(0, SCANNED_CHARS).split('\n')[0]) ?? ''
  const plain = stripMarkdown(line)
  return live ? plain.slice(-MAX_CHARS) : plain.slice(0, MAX_CHARS)
}

/** A line of Markdown as plain text: without the marks of headings, lists, emphasis, code and links. */
export function stripMarkdown(line: string): string {
  return (
    line
      .replace(/^\s*(?:#{1,6}\s+|>\s?|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)]\s+)+/, '')
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
      .replace(/`+([^`]*)`+/g, '$1')
      .replace(/(\*\*|__|~~)(?=\S)(.*?\S)\1/g, '$2')
      .replace(/(?<![\w*])\*(?=\S)([^*]*\S)\*(?![\w*])/g, '$1')
      .replace(/(?<![\w_])_(?=\S)([^_]*\S)_(?![\w_])/g, '$1')
      // Constructs that are still open while a line is being written.
      .replace(/\*\*|`/g, '')
      .trim()
  )
}
