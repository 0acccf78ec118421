import { expect, test } from 'vitest'
import { WorkSlices } from './work-slices'

function workFor(ms: number): void {
  const end = performance.now() + ms
  while (performance.now() < end);
}

test('a loop works until its slice is over, then gets a new one', async () => {
  const slices = new WorkSlices()
  for (let round = 0; round < 3; round += 1) {
    workFor(8)
    expect(slices.isOver).toBe(true)
    await slices.next()
  }
})

test('other pending work runs between two slices', async () => {
  const order: string[] = []
  const slices = new WorkSlices()
  setImmediate(() => order.push('other work'))
  workFor(8)
  await slices.next()
  order.push('the loop')
  expect(order).toEqual(['other work', 'the loop'])
})
