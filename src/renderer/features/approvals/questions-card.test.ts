import { expect, it } from 'vitest'
import { answerOf, isAnswered, NO_PICKS, pick } from './questions-card'

const options = ['a', 'b', 'c'].map((label) => ({ label, description: '' }))
const one = { question: 'Which?', options, multi_select: false }
const several = { ...one, multi_select: true }

it('keeps one answer for a single-choice question, also when Other is chosen', () => {
  const b = pick(one, pick(one, NO_PICKS, 0), 1)
  expect(answerOf(b)).toEqual({ labels: ['b'] })
  const other = { ...pick(one, b, 3), other: ' mine ' }
  expect(answerOf(other)).toEqual({ labels: [], other: 'mine' })
  expect(answerOf(pick(one, other, 0))).toEqual({ labels: ['a'] })
})

it('clears an option chosen twice, and lists answers in the order of the options', () => {
  const picks = pick(several, pick(several, NO_PICKS, 2), 0)
  expect(answerOf(picks)).toEqual({ labels: ['a', 'c'] })
  expect(answerOf(pick(several, picks, 0))).toEqual({ labels: ['c'] })
  expect(answerOf({ ...pick(several, picks, 3), other: 'd' })).toEqual({ labels: ['a', 'c'], other: 'd' })
})

it('an empty Other does not count as an answer', () => {
  expect(isAnswered(NO_PICKS)).toBe(false)
  expect(isAnswered(pick(several, pick(several, NO_PICKS, 1), 3))).toBe(false)
  expect(isAnswered({ ...pick(one, NO_PICKS, 3), other: 'x' })).toBe(true)
})
