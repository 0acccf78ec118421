import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { FormField } from '../../../shared/model/approval/form'
import type { Preview } from '../../../shared/model/approval/preview'
import type { CallQuestion } from '../../engine/tool/tool'
import { answerInTerminal } from './answer-server'

const FIELDS: FormField[] = [
  { key: 'name', title: 'Name', required: true, kind: 'text' },
  { key: 'count', title: 'Count', required: false, kind: 'number', integer: true, minimum: 1, default: 3 },
  { key: 'fast', title: 'Fast', required: true, kind: 'boolean' },
  {
    key: 'colors',
    title: 'Colors',
    required: false,
    kind: 'choices',
    options: [
      { value: 'r', title: 'Red' },
      { value: 'g', title: 'Green' },
    ],
  },
]

function question(preview: Preview): CallQuestion {
  return {
    asks: 'form',
    summary: 'tracker is asking',
    reason: 'A call needs it.',
    preview,
    options: [
      { optionId: 'send', kind: 'allow_once', label: 'Send' },
      { optionId: 'decline', kind: 'reject_once', label: 'Decline' },
    ],
  } as unknown as CallQuestion
}

const form = question({ kind: 'form', server: 'tracker', message: 'Who are you?', fields: FIELDS })

/** A user who types these lines, one for each question; `undefined`: Ctrl-D. */
function person(typed: readonly (string | undefined)[], isTTY = true) {
  const input = Object.assign(new PassThrough(), { isTTY })
  const output = Object.assign(new PassThrough(), { isTTY })
  let shown = ''
  const left = [...typed]
  output.on('data', (chunk: Buffer) => {
    shown += chunk.toString()
    if (!/(?:: |\[y\/N\] )$/.test(chunk.toString())) return
    const next = left.shift()
    if (next === undefined) input.end()
    else input.write(`${next}\n`)
  })
  const io = { input, output } as unknown as { input: NodeJS.ReadStream; output: NodeJS.WriteStream }
  return { io, shown: () => shown }
}

const { signal } = new AbortController()

describe('a form at the terminal', () => {
  it('is filled in field by field, and an empty line uses the default or skips the field', async () => {
    const { io } = person(['y', 'Ada', '', 'yes', ''])
    expect(await answerInTerminal(form, { signal, ...io })).toEqual({
      optionId: 'send',
      kind: 'allow_once',
      values: { name: 'Ada', count: 3, fast: true },
    })
  })

  it('asks again until the answer is valid, and reports the error', async () => {
    const { io, shown } = person(['yes', '', 'Ada', 'many', '0', '7', 'perhaps', 'n', '2, 1'])
    expect(await answerInTerminal(form, { signal, ...io })).toMatchObject({
      values: { name: 'Ada', count: 7, fast: false, colors: ['g', 'r'] },
    })
    expect(shown()).toContain('Required.')
    expect(shown()).toContain('Enter 1 or more.')
    expect(shown()).toContain('Choose yes or no.')
  })

  it('is declined when the input ends, at the first question or later', async () => {
    for (const typed of [[undefined], ['y', 'Ada', undefined]]) {
      const { io, shown } = person(typed)
      expect(await answerInTerminal(form, { signal, ...io })).toEqual({ optionId: 'decline', kind: 'reject_once' })
      expect(shown()).toContain('declined, since the input ended.')
    }
  })

  it('never shows a typed secret', async () => {
    const fields: FormField[] = [
      { key: 'token', title: 'Token', required: true, kind: 'text', secret: true, minLength: 8 },
      { key: 'pin', title: 'Pin', required: false, kind: 'text', secret: true, default: 'default-9' },
      { key: 'name', title: 'Name', required: true, kind: 'text' },
    ]
    // ArrowUp would recall what was typed before.
    const { io, shown } = person(['y', 's3cr', 's3cret-42', '', '\u001b[AAda'])
    const asked = question({ kind: 'form', server: 'tracker', message: 'Sign in', fields })
    expect(await answerInTerminal(asked, { signal, ...io })).toMatchObject({
      values: { token: 's3cret-42', pin: 'default-9', name: 'Ada' },
    })
    expect(shown()).toContain('Token (not shown): ')
    expect(shown()).toContain('Enter at least 8 characters.')
    expect(shown()).toContain('Ada')
    expect(shown()).not.toMatch(/s3cr|default-9/)
  })

  it('is declined by any answer except yes', async () => {
    for (const typed of ['', 'n', 'yeah', 'no']) {
      const { io } = person([typed])
      expect(await answerInTerminal(form, { signal, ...io })).toMatchObject({ kind: 'reject_once' })
    }
  })

  it('ends with the call', async () => {
    const controller = new AbortController()
    const { io } = person([])
    io.output.on('data', () => controller.abort())
    expect(await answerInTerminal(form, { signal: controller.signal, ...io })).toMatchObject({ none: 'ended' })
  })
})

describe('without a user', () => {
  it('uses the values of --answer, with the defaults of the form', async () => {
    const { io } = person([], false)
    const values = { name: 'Ada', fast: true }
    expect(await answerInTerminal(form, { signal, values, ...io })).toMatchObject({
      values: { name: 'Ada', fast: true, count: 3 },
    })
  })

  it('declines invalid values, and reports why', async () => {
    const { io, shown } = person([], false)
    expect(await answerInTerminal(form, { signal, values: { fast: 'x', other: 1 }, ...io })).toMatchObject({
      kind: 'reject_once',
    })
    expect(shown()).toContain('name: Required.')
    expect(shown()).toContain('other: The form has no such field.')
  })

  it('declines, and explains how to answer', async () => {
    const { io, shown } = person([], false)
    expect(await answerInTerminal(form, { signal, ...io })).toMatchObject({ kind: 'reject_once' })
    expect(shown()).toContain("Pass --answer '{…}'")
  })
})

it('shows a link before asking whether it was opened, without control characters', async () => {
  const { io, shown } = person(['y'])
  const link = { kind: 'link', server: 's', message: 'Sign in\u001b[2J', url: 'https://a.test/x' } as Preview
  expect(await answerInTerminal(question(link), { signal, ...io })).toEqual({ optionId: 'send', kind: 'allow_once' })
  expect(shown()).toContain('https://a.test/x')
  expect(shown()).not.toContain('\u001b[2J')
})
