import { expect, it } from 'vitest'
import { DRAGGED_PATHS, draggedPaths, mentionPaths, useMentions } from './mentions'

const drag = (json: string) =>
  ({ getData: (type: string) => (type === DRAGGED_PATHS ? json : '') }) as unknown as DataTransfer

it('reads the files of a drag that started in the page', () => {
  const paths = [{ path: '/work/a b.ts', isFolder: false }]
  expect(draggedPaths(drag(JSON.stringify(paths)))).toEqual(paths)
})

it('ignores what another page or program put under the same type', () => {
  for (const json of ['', '{', 'null', '{}', '"x"', '[1, null, {"path": 3}, {}]'])
    expect(draggedPaths(drag(json))).toEqual([])
})

it('distinguishes two requests for the same files', () => {
  mentionPaths('s1', [])
  const first = useMentions.getState().asked
  mentionPaths('s1', [])
  expect(useMentions.getState().asked?.id).not.toBe(first?.id)
})
