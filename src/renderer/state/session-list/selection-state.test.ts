import { beforeEach, expect, it } from 'vitest'
import { clearSelection, selectAll, selectRange, toggleSelected, useSelection } from './selection-state'

const ORDER = ['a', 'b', 'c', 'd', 'e']
const chosen = () => [...useSelection.getState().ids].toSorted().join('')

beforeEach(clearSelection)

it('toggles one session, and a range then starts from it', () => {
  toggleSelected('b')
  selectRange('d', ORDER)
  expect(chosen()).toBe('bcd')
  toggleSelected('c')
  expect(chosen()).toBe('bd')
  // The one toggled last is where the next range starts.
  selectRange('a', ORDER)
  expect(chosen()).toBe('abcd')
})

it('extends a range in both directions from the same session', () => {
  toggleSelected('c')
  selectRange('e', ORDER)
  selectRange('a', ORDER)
  expect(chosen()).toBe('abcde')
})

it('selects only the session itself when there is nothing to start from', () => {
  selectRange('d', ORDER)
  expect(chosen()).toBe('d')
})

it('keeps a session selected when the start of the range is no longer listed', () => {
  toggleSelected('a')
  toggleSelected('d')
  toggleSelected('gone')
  selectRange('d', ORDER)
  expect(chosen()).toContain('d')
})

it('selects everything in the list', () => {
  toggleSelected('gone')
  selectAll(ORDER)
  expect(chosen()).toBe('abcde')
  selectAll([])
  expect(chosen()).toBe('')
})
