import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CodeLines, type CodeToken } from './code-lines'
import type { HighlightReply, HighlightRequest } from './highlight-messages'
import { HighlightQueue } from './highlight-queue'
import { Highlighting, PageCode } from './page-code'

/** Runs the tasks that wait for a loaded language. */
async function nextTurn(): Promise<void> {
  for (let n = 0; n < 5; n += 1) await Promise.resolve()
}

/** A page and its worker in one process. Replies and requests are copied, and wait until `settle`. */
function setUp() {
  const tasks: (() => void)[] = []
  const highlighting: Highlighting = new Highlighting((request) => {
    const copy = structuredClone<HighlightRequest>(request)
    tasks.push(() => queue.take(copy))
  })
  const queue = new HighlightQueue(
    (reply) => {
      const copy = structuredClone<HighlightReply>(reply)
      tasks.push(() => highlighting.take(copy))
    },
    (work) => void tasks.push(work),
  )
  /** Delivers at most this many messages and slices. */
  const settle = async (atMost = Infinity): Promise<void> => {
    await loaded
    for (let n = 0; n < atMost; n += 1) {
      // Tasks that wait for a loaded language run between two of them.
      await nextTurn()
      const task = tasks.shift()
      if (!task) return
      task()
    }
  }
  const loaded = new CodeLines('json').load()
  return { highlighting, settle }
}

const atOnce = async (lines: string[], until: number): Promise<CodeToken[][]> => {
  const code = new CodeLines('json')
  code.set(lines)
  await code.load()
  while (code.tokens.length < Math.min(until, lines.length)) code.work(1000, until)
  return code.tokens
}

const LINES = ['{', '  "a": 1,', '  "b": [true,', '    null],', '}', '/* a comment', 'of two lines */', '']
const edit = fc.record({
  keep: fc.nat(12),
  add: fc.array(fc.constantFrom(...LINES), { maxLength: 12 }),
  passed: fc.nat(4),
})

describe('PageCode', () => {
  it('ends with the colors of its lines, however they grow and change in the meantime', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(edit, { minLength: 1, maxLength: 6 }), async (edits) => {
        const { highlighting, settle } = setUp()
        const code = new PageCode('json', highlighting)
        let lines: string[] = []
        for (const { keep, add, passed } of edits) {
          lines = [...lines.slice(0, keep), ...add]
          code.set(lines)
          code.ask(Math.max(0, lines.length - 1))
          await settle(passed)
        }
        code.ask(lines.length)
        await settle()
        expect(code.tokens).toEqual(await atOnce(lines, lines.length))
      }),
      { numRuns: 60 },
    )
  })

  it('notifies listeners of new colors, and keeps the colors of unchanged lines', async () => {
    const { highlighting, settle } = setUp()
    const code = new PageCode('json', highlighting)
    let times = 0
    const stop = code.listen(() => (times += 1))
    code.set(['{', '  "a": 1'])
    code.ask(1)
    await settle()
    expect(times).toBe(1)
    const [first] = code.tokens
    code.set(['{', '  "a": 12,', '}'])
    expect(code.tokens[0]).toBe(first)
    stop()
    code.ask(3)
    await settle()
    expect(times).toBe(1)
    expect(code.tokens).toHaveLength(3)
    expect(code.tokens[0]).toBe(first)
  })
})
