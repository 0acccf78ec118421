import type { Question, QuestionAnswer } from '../../../../shared/model/question'
import { askText, choose, show, showHeading, type Answer, type Asked, type OtherKey } from './asking'
import { oneLine } from '../screen/safe-text'

/** The agent's questions, one after the other, each with "Other" for an answer in the person's own words. */
export async function askQuestions(asked: Asked): Promise<Answer> {
  const { preview } = asked.approval
  const questions = preview?.kind === 'questions' ? preview.questions : []
  const answers: QuestionAnswer[] = []
  for (const [index, question] of questions.entries()) {
    const place = questions.length === 1 ? '' : ` (${index + 1} of ${questions.length})`
    show(asked, [`  ${asked.terminal.style.dim('The agent asks:')}`])
    showHeading(asked, `${oneLine(question.question)}${place}`, '')
    const answer = await (question.multi_select ? several(asked, question) : one(asked, question))
    if (answer === 'dismiss') return { optionId: 'dismiss' }
    if (answer === undefined) return undefined
    answers.push(answer)
  }
  return { optionId: 'answer', answers }
}

const DISMISS: OtherKey = { key: 'd', label: 'Skip, and let the agent decide' }

type OneAnswer = Promise<QuestionAnswer | 'dismiss' | undefined>

async function one(asked: Asked, { options }: Question): OneAnswer {
  const { style } = asked.terminal
  for (;;) {
    const key = await choose(asked, [...options.map((option) => labelled(option, style.dim)), 'Other…'], 'Answer?', [DISMISS])
    if (key === 'd') return 'dismiss'
    if (typeof key !== 'number') return undefined
    const option = options[key]
    if (option) return { labels: [option.label] }
    const other = await askText(asked, 'In your own words:')
    if (asked.signal.aborted) return undefined
    if (other !== undefined && other !== '') return { labels: [], other }
  }
}

/** Each number chooses or takes back; Enter is not a key here, so that a line sent too late answers nothing: `s` sends. */
async function several(asked: Asked, { options }: Question): OneAnswer {
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
      show(asked, ['  Nothing is chosen yet.'])
    } else if (key === options.length) {
      other = other === '' ? ((await askText(asked, 'In your own words:')) ?? '') : ''
      if (asked.signal.aborted) return undefined
    } else if (typeof key === 'number' && !chosen.delete(key)) chosen.add(key)
  }
}

function labelled({ label, description }: Question['options'][number], dim: (text: string) => string): string {
  return `${oneLine(label)}${description === '' ? '' : `  ${dim(oneLine(description))}`}`
}
