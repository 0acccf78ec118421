import { describe, expect, it } from 'vitest'
import { commitText, switchAmend, writeCommit } from './commit-text'

describe('the message of the next commit', () => {
  it('is empty again when Amend is switched off, and the message of the last commit was not edited', () => {
    switchAmend('a', true)
    switchAmend('a', true, 'the last one')
    expect(commitText('a')).toMatchObject({ message: 'the last one', amend: true })
    switchAmend('a', false)
    expect(commitText('a')).toEqual({ message: '', amend: false })
  })

  it('keeps what the user wrote, before or after', () => {
    writeCommit('b', 'my own')
    switchAmend('b', true)
    switchAmend('b', true, 'the last one')
    switchAmend('b', false)
    expect(commitText('b').message).toBe('my own')
    writeCommit('b', '')
    switchAmend('b', true)
    switchAmend('b', true, 'the last one')
    writeCommit('b', 'the last one, better')
    switchAmend('b', false)
    expect(commitText('b').message).toBe('the last one, better')
  })

  it('is not filled once Amend is switched off again', () => {
    switchAmend('c', true)
    switchAmend('c', false)
    switchAmend('c', true, 'late')
    expect(commitText('c')).toEqual({ message: '', amend: false })
  })
})
