import { describe, expect, it } from 'vitest'
import { LineCutter } from './line-cutter'

/** The output for input in chunks of `chunkBytes`. */
function cut(text: string, chunkBytes = Infinity): string {
  const bytes = Buffer.from(text)
  const out: Buffer[] = []
  const cutter = new LineCutter((chunk) => void out.push(chunk))
  for (let at = 0; at < bytes.length; at += chunkBytes)
    cutter.push(bytes.subarray(at, Math.min(bytes.length, at + chunkBytes)))
  cutter.end()
  return Buffer.concat(out).toString('utf8')
}

describe('LineCutter', () => {
  const long = `${'ä'.repeat(2_000)}X${'日'.repeat(2_000)}`
  const records = [
    'a:1\nb\x0012:3:a:b-c\n',
    'a:1\nb\x0013-context: 5:6\n',
    'x.bin: binary file matches (found "\\0" byte around offset 4)\n',
    `c\x001:4001:${long}\n`,
    `c\x002-${'y'.repeat(3_000)}\n`,
    'c\x003:1:\n',
    'd\x001:1:half of a li',
  ].join('')

  it('gives the same output for any division of the input into chunks', () => {
    const whole = cut(records)
    expect(whole).toBe(
      [
        'a:1\nb\x0012:a:b-c\n',
        'a:1\nb\x0013-context: 5:6\n',
        'x.bin: binary file matches (found "\\0" byte around offset 4)\n',
        `c\x001;1851/4001:${'ä'.repeat(150)}X${'日'.repeat(233)}\n`,
        `c\x002,1/3000:${'y'.repeat(1_000)}\n`,
        'c\x003:\n',
        'd\x00',
      ].join(''),
    )
    for (const size of [1, 2, 3, 7, 1000]) expect(cut(records, size)).toBe(whole)
  })

  it('passes on what precedes an incomplete record', () => {
    expect(cut('a\x001:1:x\na\x002:1:half')).toBe('a\x001:x\na\x00')
    expect(cut('a\x001:1:x\nb: binary file matches (found')).toBe('a\x001:x\nb: binary file matches (found')
  })
})
