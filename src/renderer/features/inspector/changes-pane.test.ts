import { expect, it } from 'vitest'
import { latestEdits } from './changes-pane'

it('finds the latest call that edited each file', () => {
  const edits = latestEdits([
    { path: '/a', callId: '1' },
    { path: '/b', callId: '2' },
    { path: '/a', callId: '3' },
  ])
  expect([...edits]).toEqual([
    ['/a', '3'],
    ['/b', '2'],
  ])
})
