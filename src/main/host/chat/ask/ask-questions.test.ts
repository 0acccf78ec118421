import { expect, test } from 'vitest'
import type { Approval } from '../../../../shared/model/approval/approval'
import type { FormField } from '../../../../shared/model/approval/form'
import { createStyle, type LineRequest, type Terminal } from '../screen/terminal'
import { askForm } from './ask-questions'

const FIELDS: FormField[] = [
  { key: 'name', title: 'Name', required: true, kind: 'text', default: 'Ada' },
  { key: 'age', title: 'Age', required: false, kind: 'number', integer: true, minimum: 18 },
  { key: 'token', title: 'Token', required: true, kind: 'text', secret: true },
  { key: 'news', title: 'News?', required: true, kind: 'boolean' },
  {
    key: 'size',
    title: 'Size',
    required: true,
    kind: 'choice',
    options: ['S', 'M', 'L'].map((value) => ({ value, title: `size ${value}` })),
  },
  {
    key: 'tags',
    title: 'Tags',
    required: false,
    kind: 'choices',
    options: ['a', 'b'].map((value) => ({ value, title: value })),
  },
]

/** A user who answers with these lines and keys in order; `undefined` is Ctrl-C. Running out of answers fails. */
function person(answers: readonly (string | undefined)[]) {
  const left = [...answers]
  const written: string[] = []
  const lines: LineRequest[] = []
  const next = (): string | undefined => {
    if (left.length === 0) throw new Error(`asked for more:\n${written.join('')}`)
    return left.shift()
  }
  const terminal: Terminal = {
    style: createStyle(false),
    isInteractive: true,
    columns: 80,
    isMidLine: false,
    write: (text) => void written.push(text),
    freshLine() {},
    alert() {},
    async readLine(request) {
      lines.push(request)
      const text = next()
      return text === undefined ? { kind: 'interrupt', text: '' } : { kind: 'line', text }
    },
    readKey: async () => next(),
    onBusyInput: () => () => {},
    status() {},
    close() {},
  }
  const approval: Approval = {
    approvalId: 'a',
    turnId: 't',
    callId: 'c',
    tool: 'mcp__shop__order',
    summary: 'Order',
    reason: 'shop asks for this.',
    requestedAt: 0,
    asks: 'form',
    preview: { kind: 'form', server: 'shop', message: 'Who\u001b[2J are you?', fields: FIELDS },
    options: [
      { optionId: 'send', kind: 'allow_once', name: 'Send' },
      { optionId: 'decline', kind: 'reject_once', name: 'Decline' },
    ],
  }
  const answer = askForm({ approval, terminal, signal: new AbortController().signal, choices: async () => [] })
  return { answer, lines, screen: () => written.join(''), isDone: () => left.length === 0 }
}

test('a form keeps defaults, hides secrets and sends typed values', async () => {
  const { answer, lines, screen, isDone } = person(['Ada', '36', 's3cret', '1', '2', '1, 2', '1'])
  expect(await answer).toEqual({
    optionId: 'send',
    values: { name: 'Ada', age: 36, token: 's3cret', news: true, size: 'M', tags: ['a', 'b'] },
  })
  expect(isDone()).toBe(true)
  expect(lines[0]).toMatchObject({ text: 'Ada' })
  expect(lines[2]).toMatchObject({ isSecret: true })
  expect(screen()).not.toContain('\u001b')
})

test('a form with errors is not sent, and can be corrected or declined', async () => {
  const tooYoung = ['Ada', '7', '', '2', '9', '']
  const { answer, screen } = person([...tooYoung, '2', 'Ada', '', 'x', '2', '3', '', '1'])
  expect(await answer).toEqual({
    optionId: 'send',
    values: { name: 'Ada', token: 'x', news: false, size: 'L', tags: [] },
  })
  expect(screen()).toMatch(/age: Enter 18 or more\.\n[\s\S]*token: Required\.\n[\s\S]*size: Choose one/)
  // Ctrl-C skips to the end of the form.
  expect(await person([undefined, '1']).answer).toEqual({ optionId: 'decline' })
})
