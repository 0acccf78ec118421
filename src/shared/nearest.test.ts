import { describe, expect, it } from 'vitest'
import { nearest } from './nearest'

describe('nearest', () => {
  it('finds what a typo meant', () => {
    expect(nearest('--permision-mode', ['--permission-mode', '--model', '--cwd'])).toEqual(['--permission-mode'])
    expect(nearest('raed', ['Read', 'Write'])).toEqual(['Read'])
  })

  it('says nothing rather than guess wildly', () => {
    expect(nearest('zebra', ['Read', 'Write', 'Grep'])).toEqual([])
  })

  it('completes a beginning', () => {
    expect(nearest('mod', ['--cwd', 'model', 'mode'])).toEqual(['mode', 'model'])
  })
})
