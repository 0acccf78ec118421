import { expect, it } from 'vitest'
import { errorsMessage } from './file-diagnostic'

const error = (message: string, line = 1) => ({ line, column: 1, message, source: 'ts 1' })

it('returns no message without errors', () => {
  expect(errorsMessage([{ path: 'a.ts', errors: [] }])).toBeUndefined()
})

it('lists at most 20 errors and 4 kB, with the number of omitted errors', () => {
  const many = errorsMessage([
    { path: 'a.ts', errors: Array.from({ length: 50 }, (_, index) => error('wrong', index)) },
  ])
  expect(many?.match(/^a\.ts/gm)).toHaveLength(20)
  expect(many).toMatch(/… and 30 more errors\.$/)
  const long = errorsMessage([{ path: 'a.ts', errors: Array.from({ length: 50 }, () => error('x'.repeat(5_000))) }])
  expect(Buffer.byteLength(long ?? '')).toBeLessThan(4_100)
})

it('keeps a server message on one line, whatever it contains', () => {
  expect(errorsMessage([{ path: 'a.ts', errors: [error('one\n\u001b[31mtwo\r\n  three')] }])).toBe(
    'Errors in files you just changed:\na.ts:1:1 one [31mtwo three (ts 1)',
  )
})
