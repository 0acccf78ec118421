import { describe, expect, it } from 'vitest'
import { commandAt, mentionAt, withMention, matchingCommands } from './completion'
import { fitWithin } from '../../state/attachments/read-picture'
import { isAtTextEdge, startWalk, stepHistory, withEntry } from './draft'

/** The mention at the bar. */
const at = (text: string) => mentionAt(text.replace('|', ''), text.indexOf('|'))

describe('file mentions', () => {
  it('start only at the start of a word, not in a mail address', () => {
    expect(at('see @src/a|')).toEqual({ query: 'src/a', start: 4, end: 10 })
    expect(at('@|')).toEqual({ query: '', start: 0, end: 1 })
    expect(at('(@x|)')?.query).toBe('x')
    for (const text of ['me@host.com|', 'see @a b|', '@@|', 'no|', '|@x']) expect(at(text)).toBeUndefined()
  })

  it('replace the whole word at the caret', () => {
    const text = 'see @src/old.ts please'
    const mention = mentionAt(text, 8)
    expect(mention && withMention(text, mention, 'src/new.ts', false)).toEqual({
      text: 'see @src/new.ts please',
      caret: 16,
    })
  })

  it('quote paths with spaces and stay open in folders', () => {
    const spaced = mentionAt('@my', 3)
    expect(spaced && withMention('@my', spaced, 'my file.ts', false)).toEqual({ text: '@"my file.ts" ', caret: 14 })
    const folder = mentionAt('@sr', 3)
    expect(folder && withMention('@sr', folder, 'src', true)).toEqual({ text: '@src/', caret: 5 })
    const inside = withMention('@my', mentionAt('@my', 3)!, 'my dir', true)
    expect(inside.text).toBe('@"my dir/')
    expect(mentionAt(inside.text, inside.caret)?.query).toBe('my dir/')
  })
})

describe('prompt history', () => {
  it('walks back and forward and restores the draft', () => {
    let walk = startWalk(['one', 'two'])
    const texts: string[] = []
    let text = 'draft'
    for (const direction of [-1, -1, -1, 1, 1, 1] as const) {
      const next = stepHistory(walk, direction, text)
      if (next) ({ walk, text } = next)
      texts.push(text)
    }
    expect(texts).toEqual(['two', 'one', 'one', 'two', 'draft', 'draft'])
  })

  it('keeps each prompt once, the newest last, up to the limit', () => {
    expect(withEntry(['a', 'b'], 'a')).toEqual(['b', 'a'])
    expect(withEntry(['a'], '  ')).toEqual(['a'])
    expect(withEntry(['a'], 'x'.repeat(9000))).toEqual(['a'])
    expect(
      withEntry(
        Array.from({ length: 100 }, (_, n) => `${n}`),
        'new',
      ).length,
    ).toBe(100)
  })

  it('leaves the arrow keys to the text while the caret can move in it', () => {
    expect(isAtTextEdge('one\ntwo', 1, 1, -1)).toBe(true)
    expect(isAtTextEdge('one\ntwo', 5, 5, -1)).toBe(false)
    expect(isAtTextEdge('one\ntwo', 1, 1, 1)).toBe(false)
    expect(isAtTextEdge('one\ntwo', 5, 5, 1)).toBe(true)
    expect(isAtTextEdge('one', 0, 2, -1)).toBe(false)
  })
})

describe('images', () => {
  it('are scaled so that no side exceeds 2000 or becomes 0', () => {
    expect(fitWithin(1000, 500)).toEqual({ width: 1000, height: 500 })
    expect(fitWithin(4000, 3000)).toEqual({ width: 2000, height: 1500 })
    expect(fitWithin(20_000, 5)).toEqual({ width: 2000, height: 1 })
  })
})

describe('commands', () => {
  it('start only with a slash at the very beginning', () => {
    const command = (text: string) => commandAt(text.replace('|', ''), text.indexOf('|'))
    expect(command('/re|')).toEqual({ query: 're', start: 0, end: 3 })
    expect(command('/|')).toEqual({ query: '', start: 0, end: 1 })
    expect(command('/re|view src')).toEqual({ query: 're', start: 0, end: 7 })
    expect(command('/notes:dr|aft 2')).toEqual({ query: 'notes:dr', start: 0, end: 12 })
    for (const text of ['a /re|', '/etc/ho|', '/review src|', '|/x', ' /x|']) expect(command(text)).toBeUndefined()
  })

  it('are ranked by prefix matches first, then by other matches', () => {
    const commands = ['new', 'review', 'renew'].map((name) => ({
      name,
      description: `does ${name}`,
      run: () => undefined,
    }))
    expect(matchingCommands(commands, 'ne').map(({ name }) => name)).toEqual(['new', 'renew'])
    expect(matchingCommands(commands, '').map(({ name }) => name)).toEqual(['new', 'review', 'renew'])
    expect(matchingCommands(commands, 'xyz')).toEqual([])
  })
})
