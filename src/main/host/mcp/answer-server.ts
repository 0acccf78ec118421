import { createInterface, type Interface } from 'node:readline/promises'
import { formDefaults, formProblems, type FormField, type FormValue, type FormValues } from '../../../shared/model/form'
import { editorOutput, safeText } from '../../console/output'
import type { CallAnswer, CallQuestion } from '../../engine/tool/tool'

/** What a server asks in the midst of a call: answered with what was given beforehand, else by whoever sits at the terminal, else declined. */
export async function answerInTerminal(
  question: CallQuestion,
  { values, signal }: { values?: Record<string, unknown>; signal: AbortSignal },
): Promise<CallAnswer> {
  const decline = question.options.find(({ kind }) => kind === 'reject_once')!
  const accept = question.options.find(({ kind }) => kind === 'allow_once')
  const declined = (why: string): CallAnswer => {
    process.stderr.write(`trestle: ${question.summary}: declined, since ${why}\n`)
    return { optionId: decline.optionId, kind: decline.kind }
  }
  const { preview } = question
  const atTerminal = process.stdin.isTTY && process.stderr.isTTY
  if (!accept) return declined('it cannot be accepted.')
  if (preview.kind === 'form' && values) {
    const given = { ...formDefaults(preview.fields), ...values } as FormValues
    const problems = Object.entries(formProblems(preview.fields, given)).map(([key, problem]) => `${key}: ${problem}`)
    if (problems.length > 0) return declined(`--answer does not fit. ${problems.join(' ')}`)
    return { optionId: accept.optionId, kind: accept.kind, values: given }
  }
  if (!atTerminal)
    return declined(
      `nobody is at a terminal to answer.${preview.kind === 'form' ? " Give --answer '{…}' beforehand; '{}' takes the defaults." : ''}`,
    )
  const terminal = createInterface({ input: process.stdin, output: editorOutput(process.stderr) })
  // The keys are read here, so that no signal comes of Ctrl-C: whoever runs this ends as at a signal.
  terminal.on('SIGINT', () => process.emit('SIGINT'))
  try {
    const agreed = await agrees(terminal, question, signal)
    if (!agreed) return { optionId: decline.optionId, kind: decline.kind }
    const filled = preview.kind === 'form' ? await fill(terminal, preview.fields, signal) : undefined
    return { optionId: accept.optionId, kind: accept.kind, ...(filled && { values: filled }) }
  } catch (error) {
    if (!signal.aborted) throw error
    return { none: 'ended', why: 'The call was stopped.' }
  } finally {
    terminal.close()
  }
}

async function agrees(
  terminal: Interface,
  { summary, reason, preview }: CallQuestion,
  signal: AbortSignal,
): Promise<boolean> {
  process.stderr.write(`\n${plain(summary)}\n${plain(reason)}\n`)
  if ('message' in preview) process.stderr.write(`${plain(preview.message)}\n`)
  if (preview.kind === 'link') process.stderr.write(`\n  ${plain(preview.url)}\n\n`)
  if (preview.kind === 'sampling') {
    for (const { role, text } of preview.messages) process.stderr.write(`${role}: ${plain(text)}\n`)
    if (preview.answer) process.stderr.write(`${preview.answer.model}: ${plain(preview.answer.text)}\n`)
  }
  const words = preview.kind === 'form' ? 'Fill it in' : preview.kind === 'link' ? 'Have you opened it' : 'Allow it'
  return /^y(es)?$/i.test((await terminal.question(`${words}? [y/N] `, { signal })).trim())
}

/** Field after field; an empty line takes the default, or leaves out what is not needed. */
async function fill(terminal: Interface, fields: readonly FormField[], signal: AbortSignal): Promise<FormValues> {
  const values: FormValues = {}
  for (const field of fields) {
    if (field.description !== undefined) process.stderr.write(`${plain(field.description)}\n`)
    if ('options' in field)
      field.options.forEach(({ title }, at) => process.stderr.write(`  ${at + 1} ${plain(title)}\n`))
    for (;;) {
      const written = (await terminal.question(`${plain(field.title)}${plain(hintOf(field))}: `, { signal })).trim()
      const value = written === '' ? field.default : valueOf(field, written)
      const problem = formProblems([field], value === undefined ? {} : { [field.key]: value })[field.key]
      if (problem !== undefined) process.stderr.write(`${problem}\n`)
      else {
        if (value !== undefined) values[field.key] = value
        break
      }
    }
  }
  return values
}

function hintOf(field: FormField): string {
  const how =
    field.kind === 'boolean'
      ? ' (yes or no)'
      : field.kind === 'choices'
        ? ' (numbers, with commas)'
        : field.kind === 'choice'
          ? ' (a number)'
          : ''
  const usual =
    field.default === undefined ? (field.required ? '' : ' [leave empty to skip]') : ` [${String(field.default)}]`
  return `${how}${usual}`
}

/** What was written, as the field has it; what cannot be one is passed on, so that the form says why. */
function valueOf(field: FormField, written: string): FormValue {
  switch (field.kind) {
    case 'number':
      return Number(written)
    case 'boolean':
      return /^(y|yes|true)$/i.test(written) ? true : /^(n|no|false)$/i.test(written) ? false : written
    case 'choice':
      return field.options[Number(written) - 1]?.value ?? written
    case 'choices':
      return written.split(',').map((one) => field.options[Number(one.trim()) - 1]?.value ?? one.trim())
    default:
      return written
  }
}

/** A server's words cannot steer the terminal. */
function plain(text: string): string {
  return safeText(text.slice(0, 5000))
}
