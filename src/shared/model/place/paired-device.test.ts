import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CODE_LENGTH, codeFrom, pairingLink, shownCode, typedCode } from './paired-device'

it('creates codes that can be typed as they are shown', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 40, maxLength: 40 }), (bytes) => {
      const code = codeFrom(bytes)
      if (code === undefined) return
      expect(code).toHaveLength(CODE_LENGTH)
      expect(typedCode(shownCode(code))).toBe(code)
      expect(typedCode(` ${shownCode(code).toLowerCase()} `)).toBe(code)
      expect(new URL(pairingLink('https://box:4712', code)).hash).toBe(`#pair=${code}`)
    }),
    { numRuns: 100 },
  )
})

it('makes every letter equally likely', () => {
  const counts = new Map<string, number>()
  for (let byte = 0; byte < 256; byte += 1) {
    const letter = codeFrom(new Uint8Array(CODE_LENGTH).fill(byte))?.[0]
    if (letter !== undefined) counts.set(letter, (counts.get(letter) ?? 0) + 1)
  }
  expect([...new Set(counts.values())]).toEqual([8])
  expect([...counts.keys()].join('')).not.toMatch(/[01ILOU]/)
})

it('rejects what cannot be a code', () => {
  for (const typed of ['', 'ABCD', 'ABCD-EFGHJ', 'ABCD-EFG0', 'ABCD-EFGI', 'ÄBCD-EFGH'])
    expect(typedCode(typed)).toBeUndefined()
  expect(codeFrom(new Uint8Array(7))).toBeUndefined()
  expect(codeFrom(new Uint8Array(40).fill(255))).toBeUndefined()
})
