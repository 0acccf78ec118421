import { createInterface } from 'node:readline/promises'
import {
  formDefaults,
  formProblems,
  type FormField,
  type FormValue,
  type FormValues,
} from '../../../shared/model/approval/form'
import { editorOutput, safeText } from '../../console/output'
import type { CallAnswer, CallQuestion } from '../../engine/tool/tool'

interface AnswerOptions {
  /** The values of `--answer`. */
  values?: Record<string, unknown>
  signal: AbortSignal
  input?: NodeJS.ReadStream
  output?: NodeJS.WriteStream
}

/** The user at a terminal. */
interface Asker {
  say(text: string): void
  /** Rejects with `InputEnded` once nothing more can be typed. */
  ask(text: string): Promise<string>
  /** The same, without showing what is typed. */
  askSecret(text: string): Promise<string>
}

class InputEnded extends Error {}

/**
 * Answers a server's request during a call: with the values of `--answer` if given, otherwise by asking the user at the
 * terminal, otherwise by declining.
 */
export async function answerInTerminal(
  question: CallQuestion,
  { values, signal, input = process.stdin, output = process.stderr }: AnswerOptions,
): Promise<CallAnswer> {
  const decline = question.options.find(({ kind }) => kind === 'reject_once')!
  const accept = question.options.find(({ kind }) => kind === 'allow_once')
  const declined = (why: string): CallAnswer => {
    output.write(`trestle: ${question.summary}: declined, since ${why}\n`)
    return { optionId: decline.optionId, kind: decline.kind }
  }
  const { preview } = question
  const atTerminal = input.isTTY && output.isTTY
  if (!accept) return declined('it cannot be accepted.')
  if (preview.kind === 'form' && values) {
    const given = { ...formDefaults(preview.fields), ...values } as FormValues
    const problems = Object.entries(formProblems(preview.fields, given)).map(([key, problem]) => `${key}: ${problem}`)
    if (problems.length > 0) return declined(`--answer does not fit. ${problems.join(' ')}`)
    return { optionId: accept.optionId, kind: accept.kind, values: given }
  }
  if (!atTerminal)
    return declined(
      'there is no terminal to ask ' +
        `in.${preview.kind === 'form' ? " Pass --answer '{…}'; '{}' uses the defaults." : ''}`,
    )
  const editor = editorOutput(output)
  let isHidden = false
  const shown = Object.create(editor, {
    write: { value: (...piece: Parameters<typeof editor.write>) => isHidden || editor.write(...piece) },
  }) as NodeJS.WriteStream
  // Without a history, no key recalls an earlier answer.
  const lines = createInterface({ input, output: shown, historySize: 0 })
  const ended = new Promise<never>((_resolve, reject) => lines.once('close', () => reject(new InputEnded())))
  // If no question is pending, the end of the input is not a failure.
  ended.catch(() => undefined)
  const terminal: Asker = {
    say: (text) => void output.write(text),
    // Without this, the question would stay open after the end of the input.
    ask: (text) => Promise.race([lines.question(text, { signal }), ended]),
    async askSecret(text) {
      isHidden = true
      try {
        // Before the prompt, because the user can type as soon as it appears.
        const answer = lines.question('', { signal })
        output.write(text)
        return await Promise.race([answer, ended])
      } finally {
        isHidden = false
        output.write('\n')
      }
    },
  }
  // readline reads the keys, so Ctrl-C sends no signal: handle it as one.
  lines.on('SIGINT', () => process.emit('SIGINT'))
  try {
    const agreed = await agrees(terminal, question)
    if (!agreed) return { optionId: decline.optionId, kind: decline.kind }
    const filled = preview.kind === 'form' ? await fill(terminal, preview.fields) : undefined
    return { optionId: accept.optionId, kind: accept.kind, ...(filled && { values: filled }) }
  } catch (error) {
    if (signal.aborted) return { none: 'ended', why: 'The call was stopped.' }
    if (error instanceof InputEnded) return declined('the input ended.')
    throw error
  } finally {
    lines.close()
  }
}

async function agrees({ say, ask }: Asker, { summary, reason, preview }: CallQuestion): Promise<boolean> {
  say(`\n${plain(summary)}\n${plain(reason)}\n`)
  if ('message' in preview) say(`${plain(preview.message)}\n`)
  if (preview.kind === 'link') say(`\n  ${plain(preview.url)}\n\n`)
  if (preview.kind === 'sampling') {
    for (const { role, text } of preview.messages) say(`${role}: ${plain(text)}\n`)
    if (preview.answer) say(`${preview.answer.model}: ${plain(preview.answer.text)}\n`)
  }
  const words = preview.kind === 'form' ? 'Fill it in' : preview.kind === 'link' ? 'Have you opened it' : 'Allow it'
  return /^y(es)?$/i.test((await ask(`${words}? [y/N] `)).trim())
}

/** Asks field by field; an empty line uses the default, or skips an optional field. */
async function fill({ say, ask, askSecret }: Asker, fields: readonly FormField[]): Promise<FormValues> {
  const values: FormValues = {}
  for (const field of fields) {
    if (field.description !== undefined) say(`${plain(field.description)}\n`)
    if ('options' in field) field.options.forEach(({ title }, at) => say(`  ${at + 1} ${plain(title)}\n`))
    for (;;) {
      const label = `${plain(field.title)}${plain(hintOf(field))}: `
      const written = (await (isSecret(field) ? askSecret(label) : ask(label))).trim()
      const value = written === '' ? field.default : valueOf(field, written)
      const problem = formProblems([field], value === undefined ? {} : { [field.key]: value })[field.key]
      if (problem !== undefined) say(`${problem}\n`)
      else {
        if (value !== undefined) values[field.key] = value
        break
      }
    }
  }
  return values
}

function isSecret(field: FormField): boolean {
  return field.kind === 'text' && field.secret === true
}

const HOW: Partial<Record<FormField['kind'], string>> = {
  boolean: ' (yes or no)',
  choices: ' (numbers, with commas)',
  choice: ' (a number)',
}

function hintOf(field: FormField): string {
  const how = isSecret(field) ? ' (not shown)' : (HOW[field.kind] ?? '')
  const usual =
    field.default === undefined
      ? field.required
        ? ''
        : ' [leave empty to skip]'
      : isSecret(field)
        ? ' [leave empty for the default]'
        : ` [${String(field.default)}]`
  return `${how}${usual}`
}

/** Converts the input to the field's type; invalid input is passed through, so that validation reports it. */
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

/** Server text must not control the terminal. */
function plain(text: string): string {
  return safeText(text.slice(0, 5000))
}
