import { expect, it } from 'vitest'
import { similarSessions } from './similar-sessions'

const ONE = 'session-6089220755630581'
const TWO = 'session-f60992af8bb67b08'
const THREE = 'session-f609000000000000'
const ids = [ONE, TWO, THREE]

it.each([
  ['session-6089', [ONE]],
  ['6089220755630581', [ONE]],
  [' SESSION-608922 ', [ONE]],
  ['f609', [TWO, THREE]],
  ['session-6089220755630518', [ONE]],
  ['sesion-6089220755630581', [ONE]],
  [`${TWO}x`, [TWO]],
  ['session-', []],
  ['session-none', []],
  ['0123456789abcdef', []],
  ['', []],
])('finds the sessions that %j probably means', (wrong, meant) => {
  expect(similarSessions(wrong, ids)).toEqual(meant)
})

it('names at most three sessions', () => {
  const many = Array.from({ length: 20 }, (_, n) => `session-abcd${n}`)
  expect(similarSessions('abcd', many)).toHaveLength(3)
})
