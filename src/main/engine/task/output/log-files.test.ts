import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { newestPathOf, outputSize, readOutput } from './log-files'
import { OutputLog } from './output-log'

const MAX = 80_000
let dir: string
let path: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'trestle-log-files-'))
  path = join(dir, 'output.log')
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

/** Prints numbered lines, `bytes` in total. */
async function print(log: OutputLog, bytes: number, end = '\n'): Promise<string> {
  let whole = ''
  for (let line = 0; whole.length < bytes; line++) {
    const text = `${String(line).padStart(60, '.')}${end}`
    whole += text
    log.append(Buffer.from(text))
    if (line % 100 === 0) await log.flushed()
  }
  await log.close()
  return whole
}

test('keeps every byte in one file below the limit', async () => {
  const log = new OutputLog(path, { maxBytes: MAX })
  const whole = await print(log, MAX - 100)
  expect(readFileSync(path, 'utf8')).toBe(whole)
  expect(readdirSync(dir)).toEqual(['output.log'])
  expect(log.newestPath).toBeUndefined()
})

test('beyond the limit, keeps the first half and the newest part, which starts with a header line naming its offset', async () => {
  const log = new OutputLog(path, { maxBytes: MAX })
  const printing = print(log, 10 * MAX)
  const newestPath = newestPathOf(path)
  const whole = await printing
  expect(log.problem).toBeUndefined()
  const first = readFileSync(path, 'utf8')
  const [header, ...lines] = readFileSync(newestPath, 'utf8').split('\n')
  const newest = lines.join('\n')
  expect(first).toBe(whole.slice(0, MAX / 2))
  expect(whole.endsWith(newest)).toBe(true)
  expect(newest.length).toBeGreaterThanOrEqual(MAX / 8 - 61)
  expect(newest.startsWith('.')).toBe(true)
  expect(header).toContain(`from byte ${whole.length - newest.length} on`)
  expect(statSync(path).size + statSync(newestPath).size).toBeLessThan(MAX + 200)
  expect(readdirSync(dir).sort()).toEqual(['output.log', 'output.newest.log'])
})

test('rotates output without line breaks', async () => {
  const log = new OutputLog(path, { maxBytes: MAX })
  const whole = await print(log, 3 * MAX, '')
  expect(whole.endsWith(readFileSync(newestPathOf(path), 'utf8').split('\n')[1]!)).toBe(true)
})

describe('pages', () => {
  test('from the end to the start return everything that is kept, and report the gap', async () => {
    const log = new OutputLog(path, { maxBytes: MAX })
    const whole = await print(log, 5 * MAX)
    let before: number | undefined
    let dropped = 0
    const pieces: [number, string][] = []
    do {
      const page = await readOutput(path, { bytes: 7000, ...(before !== undefined && { before }) })
      expect(page.total).toBe(whole.length)
      expect(page.to).toBe(before === undefined ? whole.length : before - dropped)
      pieces.unshift([page.from, page.text])
      dropped = page.dropped
      before = page.from
    } while (before > 0)
    for (const [from, text] of pieces) expect(whole.startsWith(text, from)).toBe(true)
    const kept = pieces.reduce((sum, [, text]) => sum + text.length, 0)
    expect(kept).toBe(
      statSync(path).size +
        statSync(newestPathOf(path)).size -
        readFileSync(newestPathOf(path), 'utf8').indexOf('\n') -
        1,
    )
    expect(await outputSize(path)).toBe(whole.length)
  })

  test('never split a character', async () => {
    const log = new OutputLog(path)
    const whole = '€äx🦊'.repeat(50)
    log.append(Buffer.from(whole))
    await log.flushed()
    let text = ''
    for (let before: number | undefined; before !== 0;) {
      const page = await readOutput(path, { bytes: 9, ...(before !== undefined && { before }) })
      text = page.text + text
      before = page.from
    }
    expect(text).toBe(whole)
    await log.close()
  })

  test('of an output that was never written are empty', async () => {
    expect(await readOutput(path, { bytes: 10 })).toEqual({ text: '', from: 0, to: 0, total: 0, dropped: 0 })
  })
})
