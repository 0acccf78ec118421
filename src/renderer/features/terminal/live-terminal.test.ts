import { describe, expect, it } from 'vitest'
import { BoundedWriter } from './bounded-writer'
import { keyMeaning, KeySender, typedLength } from './terminal-keys'
import { drawingAfter, viewSize } from './live-terminal'

describe('keys', () => {
  const press = (key: string, more = {}) => ({
    key,
    ctrlKey: false,
    metaKey: false,
    altKey: false,
    shiftKey: false,
    isComposing: false,
    ...more,
  })
  it('Escape leaves and never reaches the program; Ctrl+[ does', () => {
    expect(keyMeaning(press('Escape'), false, false)).toBe('leave')
    expect(keyMeaning(press('Escape', { shiftKey: true }), false, false)).toBe('leave')
    expect(keyMeaning(press('[', { ctrlKey: true }), false, false)).toBe('program')
    expect(keyMeaning(press('Tab'), false, false)).toBe('program')
  })

  it('Ctrl+C interrupts, and copies only if text is selected', () => {
    expect(keyMeaning(press('c', { ctrlKey: true }), false, false)).toBe('program')
    expect(keyMeaning(press('c', { ctrlKey: true }), true, false)).toBe('copy')
    expect(keyMeaning(press('v', { ctrlKey: true }), false, false)).toBe('browser')
    expect(keyMeaning(press('k', { metaKey: true }), false, true)).toBe('browser')
  })

  it('counts the characters of the line and forgets them with Enter', () => {
    expect(typedLength(0, 'hunter2')).toBe(7)
    expect(typedLength(7, '\u007f')).toBe(6)
    expect(typedLength(6, '\u001b[A')).toBe(6)
    expect(typedLength(6, '\r')).toBe(0)
    expect(typedLength(4, '\u0015ab')).toBe(2)
  })
})

describe('typed input', () => {
  it('is sent in order and once, although calls overlap', async () => {
    const sent: string[] = []
    const waiting: (() => void)[] = []
    const sender = new KeySender(
      (data) => {
        sent.push(data)
        return new Promise<void>((resolve) => waiting.push(resolve))
      },
      () => undefined,
    )
    for (const key of 'abc') sender.type(key)
    expect(sent).toEqual(['a'])
    waiting.shift()?.()
    await expect.poll(() => sent).toEqual(['a', 'bc'])
    waiting.shift()?.()
  })

  it('is not sent after a key was lost', async () => {
    const sent: string[] = []
    const failures: unknown[] = []
    const sender = new KeySender(
      async (data) => {
        sent.push(data)
        throw new Error('the task has ended')
      },
      (error) => failures.push(error),
    )
    for (const key of 'rm -rf') sender.type(key)
    await expect.poll(() => failures).toHaveLength(1)
    expect(sent).toEqual(['r'])
  })
})

describe('a terminal that is slower than its program', () => {
  it('keeps the newest output, notes what was dropped, and gets one chunk at a time', () => {
    const written: string[] = []
    let done = (): void => undefined
    const writer = new BoundedWriter((text, finish) => {
      written.push(text)
      done = finish
    })
    writer.write('first\n')
    for (let n = 0; n < 3000; n += 1) writer.write(`${String(n).padStart(999, '.')}\n`)
    expect(written).toEqual(['first\n'])
    done()
    expect(written).toHaveLength(2)
    expect(written[1]!.length).toBeLessThan(1_100_000)
    expect(written[1]).toMatch(/characters are only in the log/)
    expect(written[1]!.endsWith('2999\n')).toBe(true)
  })

  it('writes nothing while older output is prepended', async () => {
    const written: string[] = []
    const writer = new BoundedWriter((text, finish) => {
      written.push(text)
      finish()
    })
    await writer.hold(async () => {
      writer.write('live')
      expect(written).toEqual([])
    })
    expect(written).toEqual(['live'])
  })

  it('runs one job after the other, and writes only after the last of them', async () => {
    const done: string[] = []
    const writer = new BoundedWriter((text, finish) => {
      done.push(text)
      finish()
    })
    const { promise, resolve } = Promise.withResolvers<void>()
    const first = writer.hold(() => promise.then(() => void done.push('first')))
    const second = writer.hold(async () => void done.push('second'))
    writer.write('live')
    resolve()
    await Promise.all([first, second])
    expect(done).toEqual(['first', 'second', 'live'])
  })
})

describe('size', () => {
  it('wraps plain lines at the width of the view, but keeps the columns of a program that redraws', () => {
    expect(drawingAfter('lines', 'one\r\ntwo\n\u001b[32mgreen\u001b[0m')).toBe('lines')
    expect(drawingAfter('lines', '10 %\r20 %')).toBe('columns')
    expect(drawingAfter('lines', 'a\nb\n\u001b[2A')).toBe('columns')
    expect(drawingAfter('columns', '\u001b[?1049h')).toBe('screen')
    expect(drawingAfter('screen', 'plain')).toBe('screen')
    expect(viewSize('lines', { cols: 88, rows: 20 })).toEqual({ cols: 88, rows: 20 })
    expect(viewSize('lines', { cols: 400, rows: 20 }).cols).toBe(200)
    expect(viewSize('columns', { cols: 88, rows: 20 })).toEqual({ cols: 200, rows: 20 })
    expect(viewSize('screen', { cols: 88, rows: 20 })).toEqual({ cols: 200, rows: 50 })
  })
})
