import { expect, it } from 'vitest'
import { keepInput, keptInput } from './kept-input'

it('keeps the input of each request and field, also of an emptied field', () => {
  keepInput('a1', 'reason', 'use pnpm')
  keepInput('a1', 'lines', new Map([[3, 'why?']]))
  keepInput('a2', 'reason', 'no')
  expect(keptInput('a1', 'reason', '')).toBe('use pnpm')
  expect(keptInput('a1', 'lines', new Map())).toEqual(new Map([[3, 'why?']]))
  expect(keptInput('a3', 'reason', 'initial')).toBe('initial')
  keepInput('a1', 'reason', '')
  expect(keptInput('a1', 'reason', 'initial')).toBe('')
})

it('drops the least recently changed input when there is too much', () => {
  keepInput('first', 'reason', 'kept')
  for (let n = 0; n < 49; n += 1) keepInput(`r${n}`, 'reason', 'x')
  expect(keptInput('first', 'reason', '')).toBe('kept')
  keepInput('first', 'reason', 'changed')
  keepInput('last', 'reason', 'x')
  expect(keptInput('first', 'reason', '')).toBe('changed')
  expect(keptInput('r0', 'reason', '')).toBe('')
})
