import { describe, expect, it } from 'vitest'
import type { Message } from '../../../../shared/model/turn/message'
import { partsTokens } from '../tokens/token-estimate'
import { keptUserMessages } from './kept-content'

const user = (text: string, by?: 'guard' | 'task' | 'compaction'): Message => ({
  role: 'user',
  parts: [{ type: 'text', text }],
  ...(by && { by }),
})
const textsOf = ({ kept }: { kept: readonly { type: string; text?: string }[][] }): string[] =>
  kept.map((parts) => parts.map(({ text }) => text).join())

describe("the user's words after a compaction", () => {
  it("keeps the user's messages that fit, and none that others wrote in the user's role", () => {
    const history = [
      user('first'),
      user('a reminder', 'guard'),
      user('news', 'task'),
      user('an old summary', 'compaction'),
      user('second'),
    ]
    expect(textsOf(keptUserMessages(history, 1000))).toEqual(['first', 'second'])
  })

  it('keeps the first and the newest messages within the budget, and notes what was left out', () => {
    const history = Array.from({ length: 200 }, (_, n) => user(`message ${n} ${'x'.repeat(300)}`))
    const words = keptUserMessages(history, 2000)
    const texts = textsOf(words)
    expect(texts[0]).toContain('message 0')
    expect(texts[1]).toMatch(/\d+ messages of the user left out here/)
    expect(texts.at(-1)).toContain('message 199')
    expect(words.lost).toBe(200 - (texts.length - 1))
    expect(words.kept.reduce((sum, parts) => sum + partsTokens(parts), 0)).toBeLessThan(2100)
  })

  it('cuts the middle out of one that alone is too long, without breaking a character', () => {
    const words = keptUserMessages([user(`begin ${'😀'.repeat(50_000)} end`)], 1000)
    const [text = ''] = textsOf(words)
    expect(text.startsWith('begin')).toBe(true)
    expect(text.endsWith('end')).toBe(true)
    expect(text.isWellFormed()).toBe(true)
    expect(partsTokens(words.kept[0]!)).toBeLessThan(1100)
  })

  it('replaces pictures and inserted skills with their names', () => {
    const picture: Message = {
      role: 'user',
      parts: [
        { type: 'media', mediaType: 'image/png', data: 'AAAA', name: 'a.png' },
        { type: 'text', text: 'long instructions', skill: 'review' },
      ],
    }
    expect(textsOf(keptUserMessages([picture], 1000))).toEqual([
      '[an image was here: a.png],[the skill review was loaded here]',
    ])
  })
})
