import type { FormField, FormValue } from '../../../../shared/model/form'
import { describeDenial } from '../../../../shared/model/sandbox'
import type { Preview } from '../../../../shared/model/preview'
import type { CallQuestionItem } from '../../../../shared/model/transcript-item'

/** What the server asked while the call ran, and what was answered. */
export function CallQuestions({ questions }: { questions: readonly CallQuestionItem[] }) {
  return (
    <ul className="call-questions" aria-label="Asked meanwhile">
      {questions.map((question) => (
        <li key={question.approvalId}>
          <p>
            {askedFor(question.preview)} <b>{endOf(question)}</b>
            {question.reason !== undefined && <span className="text-ink-3"> {question.reason}</span>}
          </p>
          {question.preview?.kind === 'form' && question.values && <Answers fields={question.preview.fields} values={question.values} />}
        </li>
      ))}
    </ul>
  )
}

function Answers({ fields, values }: { fields: readonly FormField[]; values: Readonly<Record<string, FormValue>> }) {
  return (
    <dl>
      {fields.map((field) => {
        const value = Object.hasOwn(values, field.key) ? values[field.key] : undefined
        const isSecret = field.kind === 'text' && field.secret
        if (value === undefined && !isSecret) return null
        return (
          <div key={field.key}>
            <dt>{field.title}</dt>
            <dd>{value === undefined ? 'not kept' : words(field, value)}</dd>
          </div>
        )
      })}
    </dl>
  )
}

function words(field: FormField, value: FormValue): string {
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  const options = field.kind === 'choice' || field.kind === 'choices' ? field.options : []
  const title = (one: string | number): string => options.find((option) => option.value === one)?.title ?? String(one)
  return Array.isArray(value) ? value.map(title).join(', ') : title(value)
}

function askedFor(preview: Preview | undefined): string {
  switch (preview?.kind) {
    case 'form':
      return `${preview.server} asked: ${preview.message}`
    case 'link':
      return preview.opened
        ? `Waited for you to finish on ${new URL(preview.url).host}.`
        : `${preview.server} wanted you to open ${new URL(preview.url).host}.`
    case 'sampling':
      return preview.answer ? `The model’s answer for ${preview.server}.` : `${preview.server} wanted to ask the model.`
    case 'sandbox':
      return describeDenial(preview.denied, preview.sandbox)
    default:
      return 'It asked something.'
  }
}

const CHOSEN: Readonly<Record<string, string>> = {
  send: 'You answered.',
  decline: 'You declined.',
  cancel: 'You cancelled.',
  open: 'You opened it.',
  done: 'You were done.',
  ask: 'You allowed it.',
  refuse: 'You refused.',
  give: 'You gave it.',
  keep: 'You kept it.',
}

function endOf({ outcome, chosen, preview }: CallQuestionItem): string {
  if (outcome === undefined) return 'Pending'
  if (preview?.kind === 'sandbox' && outcome !== 'cancelled') return outcome === 'reject_once' ? 'Not allowed.' : 'You allowed it.'
  if (outcome === 'cancelled') return 'Not answered.'
  return (chosen !== undefined && CHOSEN[chosen]) || (outcome === 'reject_once' ? 'You declined.' : 'You answered.')
}
