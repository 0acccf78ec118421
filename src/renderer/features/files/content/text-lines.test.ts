import { expect, it } from 'vitest'
import type { FileLines } from '../../../../shared/model/project/file-view'
import { TextLines } from './text-lines'

const line = (n: number): string => `line ${n}`

/** A file with `total` lines, which are counted after the first answer. */
function file(total: number, estimate = total) {
  const asked: number[] = []
  const fetch = async (from: number, count: number): Promise<FileLines> => {
    asked.push(from)
    const length = Math.max(0, Math.min(count, total - from + 1))
    return {
      version: 'v',
      from,
      lines: Array.from({ length }, (_, n) => line(from + n)),
      totalLines: total,
      isCounted: true,
    }
  }
  const first = Array.from({ length: 400 }, (_, n) => line(n + 1))
  const text = new TextLines({ lines: first, isWhole: false, totalLines: estimate, isCounted: false }, 'v', fetch)
  const changed = (): Promise<void> =>
    new Promise((resolve) => {
      const stop = text.subscribe(() => {
        stop()
        resolve()
      })
    })
  return { text, asked, changed }
}

it('fetches only the pages around the visible lines, each once', async () => {
  const { text, asked, changed } = file(100_000)
  expect(text.line(400)).toBe(line(400))
  const arrived = changed()
  text.fetchRange(50_010, 50_060)
  text.fetchRange(50_020, 50_070)
  await arrived
  expect(asked).toEqual([50_001])
  expect(text.line(50_060)).toBe(line(50_060))
  expect(text.line(60_000)).toBeUndefined()
})

it('drops pages that are far away', async () => {
  const { text, changed } = file(100_000)
  for (let from = 1; from < 60_000; from += 500) {
    const arrived = changed()
    text.fetchRange(from, from)
    await arrived
  }
  expect(text.line(1)).toBeUndefined()
  expect(text.line(59_999)).toBe(line(59_999))
})

it('replaces an estimate of the lines once they are counted', async () => {
  const { text, changed } = file(1000, 1200)
  expect([text.total, text.isCounted]).toEqual([1200, false])
  const arrived = changed()
  text.fetchRange(1190, 1200)
  await arrived
  expect([text.total, text.isCounted]).toEqual([1000, true])
})
