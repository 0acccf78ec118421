import { describe, expect, it } from 'vitest'
import type { FormField } from '../../../../shared/model/approval/form'
import { askForm, askLink } from './ask-form'
import type { PendingRequest } from './ask-permission'

const OPTIONS = [
  { optionId: 'send', kind: 'allow_once', label: 'Submit' },
  { optionId: 'decline', kind: 'reject_once', label: 'Decline' },
]

/** A request, and what the client received; it answers with `answer`. */
function pending(preview: unknown, answer: unknown, capabilities: unknown = { elicitation: { form: {}, url: {} } }) {
  const asked: Record<string, unknown>[] = []
  const request = async (method: string, params: Record<string, unknown>) => {
    asked.push({ method, ...params })
    return answer
  }
  const approval = { approvalId: 'ap1', callId: 'c1', summary: 'It asks', preview, options: OPTIONS }
  const ask = {
    client: { request },
    capabilities,
    sessionId: 's1',
    entry: {},
    approval,
    paths: {},
    signal: new AbortController().signal,
  } as unknown as PendingRequest
  return { ask, asked }
}

const form = (fields: FormField[]) => ({ kind: 'form', server: 'tracker', message: 'Who?', fields })
const text = (key: string, required = true): FormField => ({ key, title: key, required, kind: 'text' })

describe('a form of a server', () => {
  it('is shown with the limits, choices and defaults of its fields', async () => {
    const fields: FormField[] = [
      { key: 'mail', title: 'Mail', required: true, kind: 'text', format: 'email', maxLength: 50 },
      { key: 'n', title: 'N', required: false, kind: 'number', integer: true, minimum: 0, default: 0 },
      { key: 'ok', title: 'OK', required: false, kind: 'boolean', default: false },
      { key: 'c', title: 'C', required: true, kind: 'choice', options: [{ value: 'r', title: 'Red' }] },
      { key: 'm', title: 'M', required: false, kind: 'choices', options: [{ value: 'r', title: 'Red' }], maxItems: 1 },
    ]
    const { ask, asked } = pending(form(fields), { action: 'accept', content: {} })
    await askForm(ask)
    expect(asked).toMatchObject([{ method: 'elicitation/create', mode: 'form', message: 'tracker says: Who?' }])
    expect(asked[0]?.['requestedSchema']).toEqual({
      type: 'object',
      required: ['mail', 'c'],
      properties: {
        mail: { type: 'string', title: 'Mail', format: 'email', maxLength: 50 },
        n: { type: 'integer', title: 'N', minimum: 0, default: 0 },
        ok: { type: 'boolean', title: 'OK', default: false },
        c: { type: 'string', title: 'C', oneOf: [{ const: 'r', title: 'Red' }] },
        m: { type: 'array', title: 'M', items: { anyOf: [{ const: 'r', title: 'Red' }] }, maxItems: 1 },
      },
    })
  })

  it('sends the entered values, without empty optional fields and without fields that were not requested', async () => {
    const fields = [text('a'), text('b', false), text('c', false), text('constructor', false)]
    const { ask } = pending(form(fields), { action: 'accept', content: { a: '', b: '', c: null, other: 'x' } })
    expect(await askForm(ask)).toEqual({ optionId: 'send', values: { a: '' } })
  })

  it("is declined when the user declines or cancels it, or the client's answer is invalid", async () => {
    for (const action of ['decline', 'cancel', undefined]) {
      const { ask } = pending(form([text('a')]), { action })
      expect(await askForm(ask)).toEqual({ optionId: 'decline' })
    }
    for (const content of [undefined, null, 'x', 3]) {
      const { ask } = pending(form([text('a')]), { action: 'accept', content })
      expect(await askForm(ask)).toEqual({ optionId: 'send', values: {} })
    }
  })

  it('is declined with the reason if the client has no forms', async () => {
    const { ask, asked } = pending(form([text('a')]), undefined, {})
    expect(await askForm(ask)).toEqual({ optionId: 'decline', feedback: 'This editor has no forms.' })
    expect(asked).toEqual([])
  })
})

describe('a link of a server', () => {
  it('is opened by a client that can, once the user has agreed', async () => {
    const link = { kind: 'link', server: 'tracker', message: 'Sign in', url: 'https://a.test/x' }
    const { ask, asked } = pending(link, { action: 'accept' })
    expect(await askLink(ask)).toEqual({ optionId: 'send' })
    expect(asked).toMatchObject([{ mode: 'url', url: 'https://a.test/x', elicitationId: 'ap1' }])
    expect(await askLink(pending(link, { action: 'decline' }).ask)).toEqual({ optionId: 'decline' })
  })
})
