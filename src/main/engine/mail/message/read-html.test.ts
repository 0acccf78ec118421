import { expect, it } from 'vitest'
import { readHtml } from './read-html'

it('reads a long message in a separate process', async () => {
  const read = await readHtml(`<div>${'<p>a <b>line</b></p>'.repeat(3_000)}</div>`)
  expect(read?.text.split('\n\n')).toHaveLength(3_000)
  expect(read?.text.startsWith('a **line**\n\n')).toBe(true)
})

it('times out on endlessly nested HTML without blocking this process', async () => {
  let turns = 0
  const timer = setInterval(() => (turns += 1), 5)
  expect(await readHtml('<b>'.repeat(160_000), 700)).toBeUndefined()
  clearInterval(timer)
  expect(turns).toBeGreaterThan(10)
})
