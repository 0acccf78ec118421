import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../../shared/lazy-schema'
import type { PersonAnswer } from '../../../../shared/model/approval/approval'
import type { Question, QuestionAnswer } from '../../../../shared/model/approval/form'
import { foldText, visibleLine, visibleText } from '../../../../shared/visible-text'
import { failed, ok, type Tool, type ToolResult } from '../tool'
import description from './ask-user-question.md?raw'

const option = lazySchema(() =>
  z.strictObject({
    label: z.string().trim().min(1).max(200).describe('A few words'),
    description: z.string().trim().max(2000).describe('What it means or leads to'),
  }),
)
const question = lazySchema(() =>
  z.strictObject({
    question: z
      .string()
      .trim()
      .max(2000)
      .regex(/\?$/, 'must end in a question mark')
      .describe('The whole question, ending in ?'),
    header: z.string().trim().max(12).optional().describe('A word for it, at most 12 characters, e.g. Auth'),
    options: z
      .array(option())
      .min(2)
      .max(4)
      .superRefine((options, context) =>
        unique(
          options.map(({ label }) => label),
          'label',
          context,
        ),
      )
      .describe('Answers to choose from'),
    multi_select: z.boolean().default(false).describe('More than one may be chosen'),
  }),
)
const input = lazySchema(() =>
  z.strictObject({
    questions: z
      .array(question())
      .min(1)
      .max(4)
      .superRefine((questions, context) =>
        unique(
          questions.map((one) => one.question),
          'question',
          context,
        ),
      ),
  }),
)

const DISMISSED =
  'The user dismissed the questions without answering. Use your best judgement, or ask in your text if you cannot.'

/** Asks the user questions. */
export function askUserQuestionTool(): Tool<typeof input> {
  return {
    name: 'AskUserQuestion',
    description,
    input,
    subject: [],
    annotations: { readOnly: true, destructive: false, idempotent: false, openWorld: false },
    timeoutMs: null,
    async prepare({ questions: asked }) {
      const questions = asked.map(visibleQuestion)
      return {
        summary: questions.map(({ question: text }) => text).join(' '),
        accesses: [],
        preview: async () => ({ kind: 'questions', questions }),
        asks: {
          about: 'questions',
          reason: 'The agent asks before it continues. If you skip this, it uses its own judgement.',
          options: [
            { optionId: 'answer', kind: 'allow_once', name: 'Answer' },
            { optionId: 'dismiss', kind: 'reject_once', name: 'Skip' },
          ],
          unattended:
            'No user is available to answer a form. ' +
            'Ask in the text of your answer instead, or continue with your best judgement and say so.',
          problemOf: (answer) => problemOf(questions, answer),
        },
        async run({ answer }) {
          if (!answer) return failed('The user was not asked.')
          return resultOf(questions, answer)
        },
      }
    },
  }
}

/** Makes hidden characters of a question visible. This is done here, because answers contain the labels. */
function visibleQuestion({ question: text, header, options, multi_select }: SchemaOutput<typeof question>): Question {
  return {
    question: foldText(visibleText(text)),
    ...(header && { header: visibleLine(header) }),
    options: options.map(({ label, description: about }) => ({
      label: visibleLine(label),
      description: foldText(visibleText(about)),
    })),
    multi_select,
  }
}

function resultOf(questions: Question[], { optionId, answers = [], feedback }: PersonAnswer): ToolResult {
  if (optionId === 'dismiss') {
    return ok(JSON.stringify({ answers: {}, note: feedback ? `${DISMISSED} They say: ${feedback}` : DISMISSED }), {
      kind: 'answers',
      questions,
    })
  }
  const byQuestion = Object.fromEntries(questions.map((one, index) => [one.question, chosen(one, answers[index])]))
  return ok(JSON.stringify({ answers: byQuestion, ...(feedback && { note: feedback }) }), {
    kind: 'answers',
    questions,
    answers,
  })
}

/** A single answer as a text, several as a list; "Other" is replaced by what the user wrote. */
function chosen({ multi_select: multiple }: Question, answer: QuestionAnswer | undefined): string | string[] {
  const { labels = [], other } = answer ?? {}
  const all = other === undefined ? labels : [...labels, other.trim()]
  return multiple ? all : (all[0] ?? '')
}

function problemOf(questions: readonly Question[], { optionId, answers = [] }: PersonAnswer): string | undefined {
  if (optionId === 'dismiss') return undefined
  if (answers.length !== questions.length) return `answers: ${questions.length} needed, one for each question.`
  for (const [index, one] of questions.entries()) {
    const { labels, other } = answers[index]!
    const unknown = labels.find((label) => !one.options.some((known) => known.label === label))
    if (unknown !== undefined) return `answers[${index}].labels: "${unknown}" is not offered.`
    if (other !== undefined && other.trim() === '') return `answers[${index}].other: say what.`
    const count = new Set(labels).size + (other === undefined ? 0 : 1)
    if (count === 0) return `answers[${index}]: nothing is chosen.`
    if (count !== labels.length + (other === undefined ? 0 : 1)) return `answers[${index}].labels: each once.`
    if (count > 1 && !one.multi_select) return `answers[${index}]: only one can be chosen.`
  }
  return undefined
}

function unique(texts: readonly string[], field: string, context: z.core.$RefinementCtx): void {
  const seen = new Set<string>()
  for (const [index, text] of texts.entries()) {
    if (seen.has(text)) context.addIssue({ code: 'custom', path: [index, field], message: `"${text}" appears twice` })
    seen.add(text)
  }
}
