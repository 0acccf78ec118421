import { formDefaults, formProblems, type FormField, type FormValue, type FormValues } from '../../../../shared/model/form'
import { askText, choose, show, showHeading, type Answer, type Asked } from './asking'
import { previewLines } from './preview-lines'
import { oneLine } from '../screen/safe-text'

/** The person went back: what is filled in so far stays. */
const LEAVE = Symbol('leave')

/** A form of an MCP server, field by field, each beginning with its default. Ctrl-C in a field leads to its end, where it is sent or declined. */
export async function askForm(asked: Asked): Promise<Answer> {
  const { approval, terminal, signal } = asked
  const { style } = terminal
  const { preview } = approval
  if (preview?.kind !== 'form') return undefined
  showHeading(asked, 'Form', approval.reason)
  show(
    asked,
    previewLines(preview, style).map((line) => `  ${line}`),
  )
  let values: FormValues = formDefaults(preview.fields)
  for (;;) {
    for (const field of preview.fields) {
      const value = await fieldValue(asked, field, values)
      if (signal.aborted) return undefined
      if (value === LEAVE) break
      const { [field.key]: _before, ...others } = values
      values = value === undefined ? others : { ...others, [field.key]: value }
    }
    const problems = Object.entries(formProblems(preview.fields, values))
    show(
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

/** What the person fills in; undefined for nothing. */
async function fieldValue(asked: Asked, field: FormField, values: FormValues): Promise<FormValue | typeof LEAVE | undefined> {
  const { style } = asked.terminal
  const now = values[field.key]
  show(asked, [
    `  ${style.bold(oneLine(field.title))}${field.required ? '' : style.dim(' (may be left out)')}${field.description === undefined ? '' : `  ${style.dim(oneLine(field.description))}`}`,
  ])
  switch (field.kind) {
    case 'boolean': {
      const key = await choose(asked, ['Yes', 'No'], 'Which?', field.required ? [] : [{ key: '0', label: 'Leave it out' }])
      return key === undefined ? LEAVE : typeof key === 'number' ? key === 0 : undefined
    }
    case 'choice': {
      const shown = await manyChoices(asked, field.options)
      return shown === LEAVE ? LEAVE : field.options[shown[0] ?? -1]?.value
    }
    case 'choices': {
      const shown = await manyChoices(asked, field.options)
      return shown === LEAVE ? LEAVE : shown.flatMap((index) => field.options[index]?.value ?? [])
    }
    default: {
      const isSecret = field.kind === 'text' && field.secret === true
      const text = await askText(asked, isSecret ? 'It is not shown while you type.' : '', {
        isSecret,
        ...(now !== undefined && !isSecret && { text: String(now) }),
      })
      if (text === undefined) return LEAVE
      if (text === '') return undefined
      return field.kind === 'number' ? Number(text.replace(',', '.')) : text
    }
  }
}

/** Options by their numbers, as many as the person likes: there may be more of them than keys. */
async function manyChoices(asked: Asked, options: readonly { title: string }[]): Promise<number[] | typeof LEAVE> {
  show(
    asked,
    options.map(({ title }, index) => `  ${index + 1}  ${oneLine(title)}`),
  )
  const text = await askText(asked, 'Their numbers:')
  if (text === undefined) return LEAVE
  return [...text.matchAll(/\d+/g)].map(([n]) => Number(n) - 1)
}
