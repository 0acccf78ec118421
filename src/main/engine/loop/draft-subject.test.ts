import { describe, expect, it } from 'vitest'
import { DraftSubject } from './draft-subject'

function written(json: string, keys: readonly string[] | undefined, size: number): string[] {
  const subject = new DraftSubject(keys)
  const shown: string[] = []
  for (let at = 0; at < json.length; at += size) if (subject.add(json.slice(at, at + size))) shown.push(subject.text)
  return shown
}

describe('the subject of a call that is being streamed', () => {
  it('grows with the arguments instead of waiting for their end', () => {
    expect(written('{"command":"git status","timeout":5}', ['command'], 4)).toEqual(['git ', 'git stat', 'git status'])
  })

  it('is the requested field, wherever it is, but not a nested field of the same name', () => {
    const json = JSON.stringify({
      content: '"path":"no"',
      more: { path: 'nor this' },
      list: ['path'],
      path: 'src/a.ts',
    })
    for (const size of [1, 2, 3, 7, 1000]) expect(written(json, ['path'], size).at(-1)).toBe('src/a.ts')
  })

  it('does not depend on how the text is chunked, even within escapes and surrogate pairs', () => {
    const json = JSON.stringify({ command: 'echo "ä\\n" 😀 \u2028x\tend' }).replace('ä', '\\u00e4')
    for (const size of [1, 2, 3, 5, 11, 1000])
      expect(written(json, ['command'], size).at(-1)).toBe('echo "ä\\n" 😀 x end')
  })

  it('is the first string if no field is requested', () => {
    expect(written('{"n":5,"deep":{"x":"y"},"query":"cats"}', undefined, 3).at(-1)).toBe('cats')
  })

  it('is one line of bounded length, and costs nothing once it is complete', () => {
    const subject = new DraftSubject(['command'])
    subject.add(`{"command":"line one\\nline two ${'x'.repeat(500)}`)
    expect(subject.text).toMatch(/^line one line two x+…$/)
    expect(subject.text).toHaveLength(160)
    expect(subject.add('y'.repeat(1_000_000))).toBe(false)
  })

  it('is empty for arguments that are not an object or not JSON', () => {
    expect(written('["a","b"]', ['path'], 2)).toEqual([])
    expect(written('path: x', ['path'], 2)).toEqual([])
    expect(written('{"path": 7, "other": "x"}', ['path'], 2)).toEqual([])
  })
})
