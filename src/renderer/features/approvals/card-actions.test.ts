import { describe, expect, it } from 'vitest'
import { answerKey, type CardKey, cardActions, optionKeys } from './card-actions'
import { REJECT_OPTIONS, type ApprovalKind, type ApprovalOption } from '../../../shared/model/approval/approval'

const press = (change: Partial<CardKey> = {}): CardKey => ({
  key: '1',
  at: 10_000,
  repeat: false,
  modified: false,
  composing: false,
  where: 'elsewhere',
  ...change,
})
const card = { shownAt: 5000, lastKeyAt: 5000, keys: ['1', '2', '3', '0'] }

describe('answering an approval by key', () => {
  it('accepts only the keys of the card', () => {
    expect(answerKey(press(), card)).toBe('1')
    expect(answerKey(press({ key: '3', where: 'empty-text' }), card)).toBe('3')
    expect(answerKey(press({ key: '4' }), card)).toBeUndefined()
    expect(answerKey(press({ key: '0' }), card)).toBe('0')
    for (const key of ['9', 'a', 'Enter', ' ', '12']) expect(answerKey(press({ key }), card)).toBeUndefined()
  })

  it('ignores a keystroke that was in progress when the card appeared', () => {
    expect(answerKey(press({ at: 5599 }), card)).toBeUndefined()
    expect(answerKey(press({ at: 5600 }), card)).toBe('1')
  })

  it('ignores a number typed within text', () => {
    expect(answerKey(press({ at: 10_000 }), { ...card, lastKeyAt: 9500 })).toBeUndefined()
    expect(answerKey(press({ where: 'text' }), card)).toBeUndefined()
    expect(answerKey(press({ where: 'overlay' }), card)).toBeUndefined()
    expect(answerKey(press({ composing: true }), card)).toBeUndefined()
  })

  it('ignores shortcuts such as Ctrl+1, and a key held since the previous card', () => {
    expect(answerKey(press({ repeat: true }), card)).toBeUndefined()
    expect(answerKey(press({ modified: true }), card)).toBeUndefined()
  })
})

const option = (optionId: string, kind: ApprovalKind, more: Partial<ApprovalOption> = {}): ApprovalOption => ({
  optionId,
  kind,
  name: optionId,
  ...more,
})
const once = option('allow_once', 'allow_once')
const always = option('allow_always', 'allow_always')
const reject = option('reject', 'reject_once')
const keysOf = (options: ApprovalOption[], danger?: boolean): unknown => Object.fromEntries(optionKeys(options, danger))

it('0 rejects on every card, however many other answers it offers', () => {
  const cards = [
    [once, reject],
    [once, always, reject],
    [option('approve', 'allow_once'), option('revise', 'reject_once'), reject, option('reject_exit', 'reject_once')],
    [option('open', 'allow_once'), option('decline', 'reject_once'), option('cancel', 'reject_once')],
  ]
  expect(cards.map((options) => [...optionKeys(options)].find(([, key]) => key === '0')?.[0])).toEqual([
    'reject',
    'reject',
    'reject',
    'decline',
  ])
})

it('no other key changes its meaning with the number of answers', () => {
  const few = Object.fromEntries(cardActions([once, reject]).map(({ key, kbd }) => [key, kbd]))
  const many = Object.fromEntries(cardActions([once, always, reject]).map(({ key, kbd }) => [key, kbd]))
  expect(many).toEqual({ ...few, 'allow_always:session': '2', 'allow_always:user': '3' })
  const plan = [option('revise', 'reject_once'), reject]
  const two = [option('a', 'allow_once'), option('b', 'allow_once'), ...plan]
  expect(keysOf([once, ...plan])).toEqual({ allow_once: '1', revise: '9', reject: '0' })
  expect(keysOf(two)).toEqual({ a: '1', b: '2', revise: '9', reject: '0' })
})

it('no key leaves the sandbox or allows a dangerous call', () => {
  const unrestricted = option('allow_unrestricted', 'allow_once', { sandbox: 'unrestricted' })
  expect(keysOf([once, unrestricted, always, reject])).toEqual({ allow_once: '1', allow_always: '2', reject: '0' })
  expect(keysOf([once, unrestricted, reject], true)).toEqual({ reject: '0' })
  const actions = cardActions([once, unrestricted, reject], true)
  // The safe answer comes first.
  expect(actions.map(({ key, kbd }) => [key, kbd])).toEqual([
    ['reject', '0'],
    ['allow_once', undefined],
    ['allow_unrestricted', undefined],
  ])
})

it('"Reject and stop" is a separate last button without a key, also for dangerous calls', () => {
  const options = [once, always, ...REJECT_OPTIONS]
  expect(keysOf(options)).toEqual({ allow_once: '1', allow_always: '2', reject: '0' })
  for (const danger of [false, true])
    expect(cardActions(options, danger).at(-1)).toMatchObject({ kind: 'stop', label: 'Reject and stop' })
})
