import { expect, it } from 'vitest'
import { addMail, giveBackMail, startMailAnew, takeMail, type MailState } from './schedule-mail'

const EMPTY: MailState = { positions: {}, pending: [] }
const found = (uid: number, validity = '1') => ({
  account: 'work',
  position: { validity, uid },
  id: `work:INBOX:${validity}-${uid}`,
  at: 0,
})
const add = (state: MailState, ...all: ReturnType<typeof found>[]): MailState =>
  all.reduce((now, one) => addMail(now, one) ?? now, state)

it('keeps a message once, even if two processes have seen it', () => {
  const state = add(EMPTY, found(1), found(2), found(2), found(1))
  expect(state).toEqual({
    positions: { work: { validity: '1', uid: 2 } },
    pending: ['work:INBOX:1-1', 'work:INBOX:1-2'],
  })
  expect(addMail(state, found(2))).toBeUndefined()
})

it('starts from the beginning in a folder that was created again', () => {
  expect(add(EMPTY, found(9), found(1, '2')).pending).toEqual(['work:INBOX:1-9', 'work:INBOX:2-1'])
})

it('passes at most 50 messages to a run, oldest first; the others wait', () => {
  const state = add(EMPTY, ...Array.from({ length: 60 }, (_, n) => found(n + 1)))
  const { taken, pending } = takeMail(state)
  expect(taken).toHaveLength(50)
  expect(taken![0]).toBe('work:INBOX:1-1')
  expect(pending).toHaveLength(10)
})

it('messages that a run could not use come before later ones', () => {
  const taken = takeMail(add(EMPTY, found(1), found(2)))
  const back = giveBackMail(add(taken, found(3)))
  expect(back.pending).toEqual(['work:INBOX:1-1', 'work:INBOX:1-2', 'work:INBOX:1-3'])
  expect(back.taken).toBeUndefined()
})

it('after a pause, waiting messages still wait, and watching starts from then on', () => {
  expect(startMailAnew(add(EMPTY, found(1)))).toEqual({ positions: {}, pending: ['work:INBOX:1-1'] })
})

it('keeps only the newest 1,000 waiting messages', () => {
  const { pending } = add(EMPTY, ...Array.from({ length: 1005 }, (_, n) => found(n + 1)))
  expect(pending).toHaveLength(1000)
  expect(pending.at(-1)).toBe('work:INBOX:1-1005')
})
