import {
  type Question,
  type QuestionAnswer,
  formDefaults,
  formProblems,
  type FormField,
  type FormValue,
  type FormValues,
} from '../../../../shared/model/approval/form'
import {
  askText,
  choose,
  showLines,
  showHeading,
  type Answer,
  type ApprovalPrompt,
  type ShortcutKey,
  previewLines,
} from './ask'
import { oneLine } from '../screen/text-layout'

/** Asks the agent's questions one by one, each with "Other" for a free-text answer. */
export async function askQuestions(asked: ApprovalPrompt): Promise<Answer> {
  const { preview } = asked.approval
  const questions = preview?.kind === 'questions' ? preview.questions : []
  const answers: QuestionAnswer[] = []
  for (const [index, question] of questions.entries()) {
    const place = questions.length === 1 ? '' : ` (${index + 1} of ${questions.length})`
    showLines(asked, [`  ${asked.terminal.style.dim('The agent asks:')}`])
    showHeading(asked, `${oneLine(question.question)}${place}`, '')
    const answer = await (question.multi_select ? several(asked, question) : one(asked, question))
    if (answer === 'dismiss') return { optionId: 'dismiss' }
    if (answer === undefined) return undefined
    answers.push(answer)
  }
  return { optionId: 'answer', answers }
}

const DISMISS: ShortcutKey = { key: 'd', label: 'Skip, and let the agent decide' }

type OneAnswer = Promise<QuestionAnswer | 'dismiss' | undefined>

async function one(asked: ApprovalPrompt, { options }: Question): OneAnswer {
  const { style } = asked.terminal
  for (;;) {
    const key = await choose(asked, [...options.map((option) => labelled(option, style.dim)), 'Other…'], 'Answer?', [
      DISMISS,
    ])
    if (key === 'd') return 'dismiss'
    if (typeof key !== 'number') return undefined
    const option = options[key]
    if (option) return { labels: [option.label] }
    const other = await askText(asked, 'In your own words:')
    if (asked.signal.aborted) return undefined
    if (other !== undefined && other !== '') return { labels: [], other }
  }
}

/** Each number toggles an option. `s` submits instead of Enter, so that a line sent too late answers nothing. */
async function several(asked: ApprovalPrompt, { options }: Question): OneAnswer {
  const { style } = asked.terminal
  const chosen = new Set<number>()
  let other = ''
  for (;;) {
    const mark = (isOn: boolean): string => (isOn ? style.green('[x]') : '[ ]')
    const key = await choose(
      asked,
      [
        ...options.map((option, index) => `${mark(chosen.has(index))} ${labelled(option, style.dim)}`),
        `${mark(other !== '')} Other…${other === '' ? '' : ` ${oneLine(other)}`}`,
      ],
      'Answers?',
      [{ key: 's', label: 'Send what is chosen' }, DISMISS],
    )
    if (key === undefined) return undefined
    if (key === 'd') return 'dismiss'
    if (key === 's') {
      const labels = options.filter((_, index) => chosen.has(index)).map(({ label }) => label)
      if (labels.length > 0 || other !== '') return { labels, ...(other !== '' && { other }) }
      showLines(asked, ['  Nothing is chosen yet.'])
    } else if (key === options.length) {
      other = other === '' ? ((await askText(asked, 'In your own words:')) ?? '') : ''
      if (asked.signal.aborted) return undefined
    } else if (typeof key === 'number' && !chosen.delete(key)) chosen.add(key)
  }
}

function labelled({ label, description }: Question['options'][number], dim: (text: string) => string): string {
  return `${oneLine(label)}${description === '' ? '' : `  ${dim(oneLine(description))}`}`
}

/** The user went back: filled-in fields are kept. */
const CANCEL_FORM = Symbol('leave')

/**
 * A form of an MCP server, field by field, each with its default. Ctrl-C in a field skips to the end, where it is
 * submitted or declined.
 */
export async function askForm(asked: ApprovalPrompt): Promise<Answer> {
  const { approval, terminal, signal } = asked
  const { style } = terminal
  const { preview } = approval
  if (preview?.kind !== 'form') return undefined
  showHeading(asked, 'Form', approval.reason)
  showLines(
    asked,
    previewLines(preview, style).map((line) => `  ${line}`),
  )
  let values: FormValues = formDefaults(preview.fields)
  for (;;) {
    for (const field of preview.fields) {
      const value = await fieldValue(asked, field, values)
      if (signal.aborted) return undefined
      if (value === CANCEL_FORM) break
      const { [field.key]: _before, ...others } = values
      values = value === undefined ? others : { ...others, [field.key]: value }
    }
    const problems = Object.entries(formProblems(preview.fields, values))
    showLines(
      asked,
      problems.map(([key, problem]) => `  ${style.red('✗')} ${oneLine(key)}: ${problem}`),
    )
    const options = approval.options.filter(({ kind }) => problems.length === 0 || kind === 'reject_once')
    const key = await choose(asked, [...options.map(({ name }) => oneLine(name)), 'Fill it in again'], 'The form?')
    if (typeof key !== 'number') return undefined
    const option = options[key]
    if (option) return { optionId: option.optionId, ...(option.kind !== 'reject_once' && { values }) }
  }
}

/** The value the user enters; undefined for no value. */
async function fieldValue(
  asked: ApprovalPrompt,
  field: FormField,
  values: FormValues,
): Promise<FormValue | typeof CANCEL_FORM | undefined> {
  const { style } = asked.terminal
  const now = values[field.key]
  showLines(asked, [
    `  ${style.bold(oneLine(field.title))}` +
      (field.required ? '' : style.dim(' (may be left out)')) +
      (field.description === undefined ? '' : `  ${style.dim(oneLine(field.description))}`),
  ])
  switch (field.kind) {
    case 'boolean': {
      const key = await choose(
        asked,
        ['Yes', 'No'],
        'Which?',
        field.required ? [] : [{ key: '0', label: 'Leave it out' }],
      )
      return key === undefined ? CANCEL_FORM : typeof key === 'number' ? key === 0 : undefined
    }
    case 'choice': {
      const shown = await manyChoices(asked, field.options)
      return shown === CANCEL_FORM ? CANCEL_FORM : field.options[shown[0] ?? -1]?.value
    }
    case 'choices': {
      const shown = await manyChoices(asked, field.options)
      return shown === CANCEL_FORM ? CANCEL_FORM : shown.flatMap((index) => field.options[index]?.value ?? [])
    }
    default: {
      const isSecret = field.kind === 'text' && field.secret === true
      const text = await askText(asked, isSecret ? 'It is not shown while you type.' : '', {
        isSecret,
        ...(now !== undefined && !isSecret && { text: String(now) }),
      })
      if (text === undefined) return CANCEL_FORM
      if (text === '') return undefined
      return field.kind === 'number' ? Number(text.replace(',', '.')) : text
    }
  }
}

/** Multiple choice by typed numbers: there may be more options than keys. */
async function manyChoices(
  asked: ApprovalPrompt,
  options: readonly { title: string }[],
): Promise<number[] | typeof CANCEL_FORM> {
  showLines(
    asked,
    options.map(({ title }, index) => `  ${index + 1}  ${oneLine(title)}`),
  )
  const text = await askText(asked, 'Their numbers:')
  if (text === undefined) return CANCEL_FORM
  return [...text.matchAll(/\d+/g)].map(([n]) => Number(n) - 1)
}
