import { describe, expect, it } from 'vitest'
import { nearest } from './nearest'

describe('nearest', () => {
  it('finds the intended name for a typo', () => {
    expect(nearest('--permision-mode', ['--permission-mode', '--model', '--cwd'])).toEqual(['--permission-mode'])
    expect(nearest('raed', ['Read', 'Write'])).toEqual(['Read'])
  })

  it('suggests nothing rather than guessing wildly', () => {
    expect(nearest('zebra', ['Read', 'Write', 'Grep'])).toEqual([])
  })

  it('completes a prefix', () => {
    expect(nearest('mod', ['--cwd', 'model', 'mode'])).toEqual(['mode', 'model'])
  })
})
