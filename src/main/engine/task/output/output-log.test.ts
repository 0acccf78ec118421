import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, onTestFinished, vi } from 'vitest'
import { until } from '../../../../../test/support/until'
import { OutputLog, LiveOutput } from './output-log'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'trestle-log-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

const inMemory = (log: OutputLog): string => Buffer.concat([...log.kept().head, ...log.kept().tail]).toString()

test('a command that prints nothing leaves no file', async () => {
  const log = new OutputLog(join(dir, 'tasks', 'a.log'))
  await log.close()
  expect(existsSync(log.path)).toBe(false)
})

test('after a flush, small output is in a file readable by its owner only, and complete in memory', async () => {
  const log = new OutputLog(join(dir, 'tasks', 'a.log'))
  log.append(Buffer.from('hel'))
  log.append(Buffer.from('lo'))
  await log.flushed()
  expect(readFileSync(log.path, 'utf8')).toBe('hello')
  expect(statSync(log.path).mode & 0o777).toBe(0o600)
  expect(inMemory(log)).toBe('hello')
  expect(log.kept().dropped).toBe(0)
  await log.close()
})

test('a flood is in the file in order, while memory keeps only its start and end', async () => {
  let room = Promise.withResolvers<void>()
  const log = new OutputLog(join(dir, 'a.log'), { onWritable: () => room.resolve() })
  let expected = ''
  for (let line = 0; line < 20_000; line++) {
    const text = `${String(line).padStart(99, '.')}\n`
    expected += text
    if (log.append(Buffer.from(text))) continue
    // Backpressure must be temporary: a reader that stayed paused would hang the command.
    await room.promise
    room = Promise.withResolvers()
  }
  const { head, dropped, tail } = log.kept()
  expect(dropped).toBeGreaterThan(1_000_000)
  expect(expected.startsWith(Buffer.concat(head).toString())).toBe(true)
  expect(expected.endsWith(Buffer.concat(tail).toString())).toBe(true)
  expect(Buffer.concat(tail).length).toBeGreaterThan(128 * 1024)
  await log.close()
  expect(readFileSync(log.path, 'utf8')).toBe(expected)
})

test('becomes writable again as soon as the disk has caught up, not with the next timer', async () => {
  const writableAt: number[] = []
  const log = new OutputLog(join(dir, 'a.log'), { onWritable: () => writableAt.push(log.total) })
  while (log.append(Buffer.alloc(4_000, 'x'))) if (log.total > 50_000_000) throw new Error('no backpressure')
  await log.flushed()
  expect(writableAt.length).toBeGreaterThan(0)
  expect(log.append(Buffer.from('x'))).toBe(true)
  await log.close()
})

test('reports a file that cannot be created, and memory stays bounded', async () => {
  mkdirSync(join(dir, 'a.log'))
  const log = new OutputLog(join(dir, 'a.log'))
  for (let i = 0; i < 100; i++) expect(log.append(Buffer.alloc(64 * 1024, 'x'))).toBe(true)
  await log.flushed()
  expect(log.problem).toMatch(/could not be saved .*EISDIR/)
  expect(inMemory(log).length).toBeLessThan(600_000)
  await log.close()
})

test('reports a full disk, and the command keeps running', async () => {
  const log = new OutputLog('/dev/full')
  log.append(Buffer.from('x'.repeat(200_000)))
  await log.flushed()
  expect(log.problem).toMatch(/ENOSPC/)
  expect(inMemory(log)).toBe('x'.repeat(200_000))
  await log.close()
})

test('without a head, small output takes little memory, and a flood keeps its end', async () => {
  const log = new OutputLog(join(dir, 'a.log'), { keepsHead: false })
  log.append(Buffer.from('x'))
  expect(log.newest(0, 10)[0]!.buffer.byteLength).toBeLessThan(8192)
  let expected = 'x'
  for (let line = 0; line < 20_000; line++) {
    const text = `${String(line).padStart(99, '.')}\n`
    expected += text
    if (!log.append(Buffer.from(text))) await log.flushed()
  }
  const { head, tail, dropped } = log.kept()
  expect(head).toEqual([])
  expect(dropped + Buffer.concat(tail).length).toBe(expected.length)
  expect(expected.endsWith(Buffer.concat(tail).toString())).toBe(true)
  await log.close()
  expect(readFileSync(log.path, 'utf8')).toBe(expected)
})

test('without a head, an idle task keeps little in memory, and its log stays complete', async () => {
  const log = new OutputLog(join(dir, 'a.log'), { keepsHead: false })
  const inBuffers = (): number => log.newest(0, 1_000_000).reduce((sum, part) => sum + part.buffer.byteLength, 0)
  let expected = ''
  const print = async (text: string): Promise<void> => {
    expected += text
    if (!log.append(Buffer.from(text))) await log.flushed()
  }
  for (let line = 0; line < 3_000; line++) await print(`${String(line).padStart(99, '.')}\n`)
  expect(inBuffers()).toBeGreaterThan(200_000)
  await until(() => inBuffers() <= 16 * 1024, 'the buffers to be given back')
  const end = Buffer.concat(log.newest(0, 1_000_000)).toString()
  expect(end.length).toBeGreaterThan(4_000)
  expect(expected.endsWith(end)).toBe(true)
  for (let line = 0; line < 3_000; line++) await print(`${line} more\n`)
  expect(expected.endsWith(Buffer.concat(log.newest(0, 1_000_000)).toString())).toBe(true)
  await log.close()
  expect(readFileSync(log.path, 'utf8')).toBe(expected)
})

test('newest returns a bounded number of bytes from an offset', () => {
  const log = new OutputLog('/dev/null')
  log.append(Buffer.from('0123456789'))
  expect(Buffer.concat(log.newest(4, 100)).toString()).toBe('456789')
  expect(Buffer.concat(log.newest(0, 3)).toString()).toBe('789')
  expect(log.newest(10, 3)).toEqual([])
  return log.close()
})

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

test('passes on raw output quickly, each byte once, without splitting characters', async () => {
  const { log, live, shown, print } = setup()
  print('\x1b[31mred\x1b[0m ')
  await vi.waitFor(() => expect(shown.join('')).toBe('\x1b[31mred\x1b[0m '), { timeout: 60_000 })
  const bytes = Buffer.from('zażółć')
  print(bytes.subarray(0, 3))
  await vi.waitFor(() => expect(shown.join('')).toMatch(/za$/), { timeout: 60_000 })
  print(bytes.subarray(3))
  await vi.waitFor(() => expect(shown.join('')).toMatch(/zażółć$/), { timeout: 60_000 })
  live.stop()
  await log.close()
})

test('reduces a flood to its newest part', async () => {
  const { log, live, shown, print } = setup()
  for (let line = 0; line < 20_000; line++) print(`${line} ${'x'.repeat(40)}\n`)
  await vi.waitFor(() => expect(shown.length).toBeGreaterThan(0), { timeout: 60_000 })
  const text = shown.join('')
  expect(text.length).toBeLessThanOrEqual(64 * 1024)
  expect(text).toMatch(/^\d+ x+\n/)
  expect(text).toMatch(/19999 x+\n$/)
  live.stop()
  await log.close()
})

test('passes on nothing after stop', async () => {
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
