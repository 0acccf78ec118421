import { expect, onTestFinished, test, vi } from 'vitest'
import { LiveOutput } from './live-output'
import { OutputLog } from './output-log'

function setup(): { log: OutputLog; live: LiveOutput; shown: string[]; print(text: string | Uint8Array): void } {
  const log = new OutputLog('/dev/null')
  const shown: string[] = []
  const live = new LiveOutput(log, (raw) => shown.push(raw))
  return {
    log,
    live,
    shown,
    print(text) {
      log.append(Buffer.from(text as string))
      live.changed()
    },
  }
}

test('output comes within a moment, raw, each byte once, characters whole', async () => {
  const { log, live, shown, print } = setup()
  print('\x1b[31mred\x1b[0m ')
  await vi.waitFor(() => expect(shown.join('')).toBe('\x1b[31mred\x1b[0m '))
  const bytes = Buffer.from('zażółć')
  print(bytes.subarray(0, 3))
  await vi.waitFor(() => expect(shown.join('')).toMatch(/za$/))
  print(bytes.subarray(3))
  await vi.waitFor(() => expect(shown.join('')).toMatch(/zażółć$/))
  live.stop()
  await log.close()
})

test('a flood is thinned to its newest part', async () => {
  const { log, live, shown, print } = setup()
  for (let line = 0; line < 20_000; line++) print(`${line} ${'x'.repeat(40)}\n`)
  await vi.waitFor(() => expect(shown.length).toBeGreaterThan(0))
  const text = shown.join('')
  expect(text.length).toBeLessThanOrEqual(64 * 1024)
  expect(text).toMatch(/^\d+ x+\n/)
  expect(text).toMatch(/19999 x+\n$/)
  live.stop()
  await log.close()
})

test('after the stop nothing comes any more', async () => {
  vi.useFakeTimers()
  onTestFinished(() => void vi.useRealTimers())
  const { log, live, shown, print } = setup()
  print('a')
  live.stop()
  print('b')
  vi.advanceTimersByTime(10_000)
  expect(shown).toEqual([])
  vi.useRealTimers()
  await log.close()
})
