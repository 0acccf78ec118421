import { describe, expect, it } from 'vitest'
import type { FormField } from '../../../../shared/model/approval/form'
import { draftOf, forgetDraft, keepDraft, valuesOf } from './form-field'

const moment = (more: { default?: string } = {}): FormField => ({
  key: 'when',
  title: 'When',
  required: false,
  kind: 'text',
  format: 'date-time',
  ...more,
})

describe('a date and time', () => {
  it('is shown in local time and sent with its time zone', () => {
    const draft = draftOf('1', [moment({ default: '2026-01-31T12:00:00Z' })])
    const local = String(draft['when'])
    expect(local).toMatch(/^2026-0[12]-\d{2}T\d{2}:\d{2}$/)
    expect(new Date(local).getTime()).toBe(Date.UTC(2026, 0, 31, 12))
    expect(valuesOf([moment()], { when: local })).toEqual({ when: '2026-01-31T12:00:00.000Z' })
  })

  it('is sent as the server wrote it when it was not changed', () => {
    const field = moment({ default: '2026-01-31T13:00:00+01:00' })
    expect(valuesOf([field], draftOf('2', [field]))).toEqual({ when: '2026-01-31T13:00:00+01:00' })
  })

  it('is omitted when it is empty, and not guessed when it cannot be parsed', () => {
    expect(valuesOf([moment()], { when: '' })).toEqual({})
    expect(valuesOf([moment()], { when: 'soon' })).toEqual({ when: 'soon' })
    expect(draftOf('3', [moment({ default: 'soon' })])).toEqual({ when: '' })
  })
})

describe('the values of a form', () => {
  const fields: FormField[] = [
    { key: 'count', title: 'Count', required: true, kind: 'number', integer: true, default: 2 },
    { key: 'terms', title: 'Terms', required: true, kind: 'boolean' },
    { key: 'zones', title: 'Zones', required: false, kind: 'choices', options: [{ value: 'a', title: 'A' }] },
  ]

  it('start with the defaults, and omit empty fields', () => {
    const draft = draftOf('4', fields)
    expect(draft).toEqual({ count: '2', terms: false, zones: [] })
    expect(valuesOf(fields, draft)).toEqual({ count: 2, terms: false })
  })

  it('are NaN for text that is not a valid number', () => {
    expect(valuesOf(fields, { count: '2.5', terms: true, zones: ['a'] })).toEqual({
      count: Number.NaN,
      terms: true,
      zones: ['a'],
    })
  })
})

it('keeps typed values, but no secrets, while another session is shown', () => {
  const fields: FormField[] = [
    { key: 'name', title: 'Name', required: true, kind: 'text' },
    { key: 'token', title: 'Token', required: true, kind: 'text', secret: true },
  ]
  keepDraft('5', fields, { name: 'Ann', token: 'hush' })
  expect(draftOf('5', fields)).toEqual({ name: 'Ann', token: '' })
  forgetDraft('5')
  expect(draftOf('5', fields)).toEqual({ name: '', token: '' })
})
