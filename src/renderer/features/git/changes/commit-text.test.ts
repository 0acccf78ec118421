import { describe, expect, it } from 'vitest'
import { WindowDrafts } from '../../../state/drafts/window-drafts'
import { CommitTexts } from './commit-text'

/** Windows of one browser. */
function windows() {
  const items = new Map<string, string>()
  const storage = {
    get length() {
      return items.size
    },
    key: (at: number) => [...items.keys()][at] ?? null,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
  }
  return (id: string) => new CommitTexts(new WindowDrafts(id, () => storage))
}

describe('the message of the next commit', () => {
  const texts = windows()('a')

  it('is separate for each window, so that two windows never overwrite each other', () => {
    const open = windows()
    const [first, second] = [open('a'), open('b')]
    for (const window of [first, second]) expect(window.of('s1').message).toBe('')
    first.write('s1', 'of the first')
    second.write('s1', 'of the second')
    expect(open('a').of('s1').message).toBe('of the first')
    expect(open('b').of('s1').message).toBe('of the second')
    second.write('s1', '')
    expect(open('a').of('s1').message).toBe('of the first')
  })

  it('is empty again when Amend is switched off, and the message of the last commit was not edited', () => {
    texts.switchAmend('a', true)
    texts.switchAmend('a', true, 'the last one')
    expect(texts.of('a')).toMatchObject({ message: 'the last one', amend: true })
    texts.switchAmend('a', false)
    expect(texts.of('a')).toEqual({ message: '', amend: false })
  })

  it('keeps what the user wrote, before or after', () => {
    texts.write('b', 'my own')
    texts.switchAmend('b', true)
    texts.switchAmend('b', true, 'the last one')
    texts.switchAmend('b', false)
    expect(texts.of('b').message).toBe('my own')
    texts.write('b', '')
    texts.switchAmend('b', true)
    texts.switchAmend('b', true, 'the last one')
    texts.write('b', 'the last one, better')
    texts.switchAmend('b', false)
    expect(texts.of('b').message).toBe('the last one, better')
  })

  it('is not filled after Amend is switched off again', () => {
    texts.switchAmend('c', true)
    texts.switchAmend('c', false)
    texts.switchAmend('c', true, 'late')
    expect(texts.of('c')).toEqual({ message: '', amend: false })
  })
})
