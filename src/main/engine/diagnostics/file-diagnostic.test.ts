import { expect, it } from 'vitest'
import { errorsMessage } from './file-diagnostic'

const error = (message: string, line = 1) => ({ line, column: 1, message, source: 'ts 1' })

it('says nothing when there are no errors', () => {
  expect(errorsMessage([{ path: 'a.ts', errors: [] }])).toBeUndefined()
})

it('has at most 20 errors and 4 kB, and says how many more there are', () => {
  const many = errorsMessage([
    { path: 'a.ts', errors: Array.from({ length: 50 }, (_, index) => error('wrong', index)) },
  ])
  expect(many?.match(/^a\.ts/gm)).toHaveLength(20)
  expect(many).toMatch(/… and 30 more errors\.$/)
  const long = errorsMessage([{ path: 'a.ts', errors: Array.from({ length: 50 }, () => error('x'.repeat(5_000))) }])
  expect(Buffer.byteLength(long ?? '')).toBeLessThan(4_100)
})

it('keeps what a server says on one line, whatever is in it', () => {
  expect(errorsMessage([{ path: 'a.ts', errors: [error('one\n\u001b[31mtwo\r\n  three')] }])).toBe(
    'Errors in files you just changed:\na.ts:1:1 one [31mtwo three (ts 1)',
  )
})
