import { useId, useRef, useState } from 'react'
import type { Question, QuestionAnswer } from '../../../shared/model/approval/form'
import { useEscape, useKeyDown } from '../../state/page/escape'
import { Button } from '../../ui/button'
import { ErrorNote } from '../../ui/notice'
import type { ApprovalCardProps } from './approval-card'
import { CardHead } from './card-head'
import { useKeptInput } from './kept-input'
import { useCardKeys, useAnswerGrace } from './card-actions'
import { useReply } from './use-reply'

const NUMBERS = ['1', '2', '3', '4', '5', '6', '7', '8', '9']

interface QuestionsCardProps extends ApprovalCardProps {
  questions: readonly Question[]
}

/** The agent's questions in one form. Numbers choose in the current question, Enter answers, Esc skips. */
export function QuestionsCard(props: QuestionsCardProps) {
  const { questions, behind = 0, place = '', blocked } = props
  const { approvalId } = props.approval
  const [picks, setPicks] = useKeptInput<readonly Picks[]>(
    approvalId,
    'answers',
    questions.map(() => NO_PICKS),
  )
  const grace = useAnswerGrace(place)
  const { card, sent, failure, send } = useReply(props)
  const id = useId()
  const locked = sent || blocked !== undefined
  const complete = picks.every(isAnswered)
  const [current, setCurrent] = useState(0)
  const form = useRef<HTMLFormElement>(null)
  const field = (question: number, option: number | 'text'): string => `${id}-${question}-${option}`

  const change = (question: number, next: Picks): void =>
    setPicks(picks.map((one, index) => (index === question ? next : one)))
  const choose = (question: number, option: number): void => {
    const asked = questions[question]
    if (!asked || locked) return
    const next = pick(asked, picks[question] ?? NO_PICKS, option)
    change(question, next)
    const writes = option === asked.options.length && next.writes
    focusSoon(field(question, writes ? 'text' : option))
  }
  /** In the current question; a single-choice answer moves on to the next open one. */
  const byNumber = (option: number): void => {
    const asked = questions[current]
    if (!asked || option > asked.options.length) return
    choose(current, option)
    const next = picks.findIndex((one, index) => index !== current && !isAnswered(one))
    if (!asked.multi_select && option < asked.options.length && next >= 0) focusSoon(field(next, 0))
  }
  const answer = (): void => {
    if (complete && !locked && grace.isArmed) send({ optionId: 'answer', answers: picks.map(answerOf) })
  }
  const dismiss = (): void => {
    if (!locked && grace.isArmed) send({ optionId: 'dismiss' })
  }
  useKeyDown(form, (event) => {
    if (event.isComposing || event.repeat) return
    const inField = event.target instanceof HTMLInputElement
    const inText = inField && event.target.type === 'text'
    if (event.key === 'Enter' && inField) {
      event.preventDefault()
      answer()
    } else if (/^[1-9]$/.test(event.key) && inField && !inText && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault()
      byNumber(Number(event.key) - 1)
    }
  })
  const choices = (questions[current]?.options.length ?? 0) + 1
  useCardKeys(NUMBERS.slice(0, choices), !locked, grace.since, (key) => byNumber(Number(key) - 1))
  useEscape('card', !locked, (event) => {
    if (!event.repeat) dismiss()
  })

  return (
    <div
      ref={card}
      role="group"
      aria-label={questions.length === 1 ? `Question: ${questions[0]?.question}` : `${questions.length} questions`}
      className="approval"
    >
      <CardHead behind={behind}>
        <b>{questions.length === 1 ? 'The agent asks' : `The agent asks ${questions.length} questions`}</b>
        <span className="flex-1" />
      </CardHead>
      <form
        ref={form}
        onSubmit={(event) => {
          event.preventDefault()
          answer()
        }}
      >
        <div className="approval-body">
          {questions.map((asked, question) => {
            const { labels, writes, other } = picks[question] ?? NO_PICKS
            const type = asked.multi_select ? 'checkbox' : 'radio'
            const numbered = question === current
            return (
              <fieldset key={asked.question} className="question" disabled={locked}>
                <legend>
                  {asked.header && <span className="question-header">{asked.header}</span>}
                  {asked.question}
                  {asked.multi_select && (
                    <span className="text-small font-normal text-ink-3"> Select all that apply.</span>
                  )}
                </legend>
                {asked.options.map(({ label, description }, option) => (
                  <label key={label} className="question-option" htmlFor={field(question, option)}>
                    <input
                      id={field(question, option)}
                      type={type}
                      name={field(question, 0)}
                      checked={labels.includes(label)}
                      onFocus={() => setCurrent(question)}
                      onChange={() => choose(question, option)}
                    />
                    <span className="min-w-0 flex-1">
                      <span className="font-medium">{label}</span>
                      {description && <span className="block text-small text-ink-3">{description}</span>}
                    </span>
                    {numbered && <kbd aria-hidden>{option + 1}</kbd>}
                  </label>
                ))}
                <div className="question-option">
                  <input
                    id={field(question, asked.options.length)}
                    type={type}
                    name={field(question, 0)}
                    aria-label="Other"
                    checked={writes}
                    onFocus={() => setCurrent(question)}
                    onChange={() => choose(question, asked.options.length)}
                  />
                  <input
                    id={field(question, 'text')}
                    type="text"
                    className="question-other"
                    aria-label={`Other answer to: ${asked.question}`}
                    placeholder="Other…"
                    maxLength={10_000}
                    value={other}
                    onFocus={() => setCurrent(question)}
                    onChange={(event) =>
                      change(question, {
                        labels: asked.multi_select ? labels : [],
                        other: event.target.value,
                        writes: event.target.value !== '',
                      })
                    }
                  />
                  {numbered && <kbd aria-hidden>{asked.options.length + 1}</kbd>}
                </div>
              </fieldset>
            )
          })}
          {failure && <ErrorNote failure={failure} className="m-3" />}
        </div>
        <div className="approval-acts">
          <Button
            type="submit"
            variant="primary"
            kbd="Enter"
            disabled={locked || !complete}
            aria-disabled={!grace.isArmed || undefined}
          >
            Answer
          </Button>
          <Button
            variant="quiet"
            kbd="Esc"
            disabled={locked}
            aria-disabled={!grace.isArmed || undefined}
            onClick={dismiss}
          >
            Skip
          </Button>
          {blocked !== undefined && <span className="text-small text-ink-3">{blocked}</span>}
        </div>
      </form>
    </div>
  )
}

/** After the next render. */
function focusSoon(id: string): void {
  requestAnimationFrame(() => document.getElementById(id)?.focus())
}

/** The current choice for one question. `writes`: "Other" is chosen; its text is kept even while it is not. */
interface Picks {
  labels: readonly string[]
  writes: boolean
  other: string
}

export const NO_PICKS: Picks = { labels: [], writes: false, other: '' }

/** Chooses an option (the one after the last is "Other"), or clears it in a multiple-choice question. */
export function pick({ options, multi_select: multiple }: Question, picks: Picks, index: number): Picks {
  const label = options[index]?.label
  if (label === undefined)
    return { ...picks, writes: multiple ? !picks.writes : true, ...(!multiple && { labels: [] }) }
  if (!multiple) return { ...picks, labels: [label], writes: false }
  const labels = picks.labels.includes(label) ? picks.labels.filter((one) => one !== label) : [...picks.labels, label]
  // In the order of the options, not of the clicks.
  return { ...picks, labels: options.map((option) => option.label).filter((one) => labels.includes(one)) }
}

export function isAnswered({ labels, writes, other }: Picks): boolean {
  return writes ? other.trim() !== '' : labels.length > 0
}

export function answerOf({ labels, writes, other }: Picks): QuestionAnswer {
  return { labels: [...labels], ...(writes && { other: other.trim() }) }
}
