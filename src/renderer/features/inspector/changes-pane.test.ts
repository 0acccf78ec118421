import { expect, it } from 'vitest'
import { groupByFile } from './changes-pane'

it('lists each file once, with the sum of its edits and the ID of the latest call', () => {
  const files = groupByFile([
    { path: '/a', added: 1, removed: 0, callId: '1' },
    { path: '/b', added: 5, removed: 2, callId: '2' },
    { path: '/a', added: 2, removed: 3, callId: '3' },
  ])
  expect(files).toEqual([
    { path: '/a', added: 3, removed: 3, edits: 2, callId: '3' },
    { path: '/b', added: 5, removed: 2, edits: 1, callId: '2' },
  ])
})
