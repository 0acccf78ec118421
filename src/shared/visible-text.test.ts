import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { foldDiff, foldText, linesInFold, visibleLine, visiblePath, visibleText } from './visible-text'

describe('visible text', () => {
  it('escapes every character that a screen hides', () => {
    expect(visibleText('a\u202Eb\u001b[2K\u0007\u009b')).toBe(String.raw`a\u{202e}b\u{1b}[2K\u{7}\u{9b}`)
    const hidden = [
      '\u200b',
      '\u2060',
      '\u00ad',
      '\ufeff',
      '\u3164',
      '\u00a0',
      '\u2800',
      '\u2028',
      '\u2029',
      '\u{e0041}',
      '\ufe0f',
      '\r',
      '\u2003',
    ]
    expect(hidden.filter((char) => !/^a\\u\{[0-9a-f]+\}b$/.test(visibleText(`a${char}b`)))).toEqual([])
    expect(visibleLine('one\ntwo')).toBe(String.raw`one\u{a}two`)
  })

  it('escapes paths so that similar-looking names stay distinguishable', () => {
    expect(visiblePath('src/a\u202egnp.exe')).toBe(String.raw`src/a\u{202e}gnp.exe`)
    expect(visiblePath('new\nline\t.ts')).toBe(String.raw`new\u{a}line\u{9}.ts`)
    expect(visiblePath(' a b/ c.ts ')).toBe(String.raw`\u{20}a b/\u{20}c.ts\u{20}`)
    expect(visiblePath('(app)/[id] – 二/שלום.tsx')).toBe('(app)/[id] – 二/שלום.tsx')
  })

  it('leaves ordinary text unchanged: scripts, emoji sequences, tabs and line feeds', () => {
    const texts = ['Zwei – 二 é\u0301 नमस्ते', '❤️ 👨‍👩‍👧 🏴󠁧󠁢󠁥󠁮󠁧󠁿 1️⃣', 'if x:\n\ty()']
    for (const text of texts) expect(visibleText(text)).toBe(text)
  })

  it('does not let an emoji carry hidden characters with it', () => {
    expect(visibleText('👍\u{e0041}\u{e0042}')).toBe(String.raw`👍\u{e0041}\u{e0042}`)
    expect(visibleText('❤️\ufe0f')).toBe(String.raw`❤️\u{fe0f}`)
  })

  it('counts stacked marks that cover other lines', () => {
    expect(visibleText(`z${'\u0301'.repeat(200)}`)).toBe('z⋯ 200 combining marks ⋯')
  })

  it('never leaves a hidden character, and is idempotent', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const shown = visibleText(text)
        expect(shown).not.toMatch(/(?![\n\t])[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069\u2028\u2029\u{e0000}-\u{e00ff}]/u)
        expect(visibleText(shown)).toBe(shown)
      }),
    )
  })

  it('is fast, however the text is constructed', () => {
    const texts = [
      '❤️\u202e'.repeat(50_000),
      '👨‍'.repeat(50_000),
      '\u0301'.repeat(100_000),
      ' '.repeat(200_000),
      '\n'.repeat(200_000),
    ]
    const start = performance.now()
    for (const text of texts) foldText(visibleText(text))
    // Quadratic time would take minutes.
    expect(performance.now() - start).toBeLessThan(30_000)
  })
})

describe('folded text', () => {
  it('replaces long runs that push the rest out of view with a count', () => {
    expect(foldText(`ls${'\n'.repeat(121)}rm -rf ~`)).toBe('ls\n⋯ 120 blank lines ⋯\nrm -rf ~')
    expect(foldText(`ls\n${' \t\n'.repeat(5)}pwd`)).toBe('ls\n⋯ 5 blank lines ⋯\npwd')
    expect(foldText(`ls${' '.repeat(1500)}; rm x`)).toBe('ls ⋯ 1,500 spaces ⋯ ; rm x')
    expect(foldText(`ls\n${`${' '.repeat(300)}\n`.repeat(40)}rm x`)).toBe('ls\n⋯ 40 blank lines ⋯\nrm x')
  })

  it('counts runs of any length', () => {
    expect(foldText(`ls${' '.repeat(20_000_000)}rm x`)).toBe('ls ⋯ 20,000,000 spaces ⋯ rm x')
  })

  it('leaves ordinary layout unchanged', () => {
    const text = `a\n\n\n\nb\n${' '.repeat(40)}c`
    expect(foldText(text)).toBe(text)
  })

  it('keeps the sign of every line of a diff, and both ends of a long line', () => {
    const diff = `--- a\n+++ b\n@@ -1,6 +1,120 @@\n a\n${'+\n'.repeat(118)}+evil\n${'-\n'.repeat(5)}`
    expect(foldDiff(diff)).toBe(
      '--- a\n+++ b\n@@ -1,6 +1,120 @@\n a\n+⋯ 118 blank lines ⋯\n+evil\n-⋯ 5 blank lines ⋯\n',
    )
    const long = foldDiff(`@@ -0,0 +1 @@\n+start ${'x'.repeat(9000)} end`)
    expect(long).toMatch(/^@@.*\n\+start x+ ⋯ 7,\d+ characters ⋯ x+ end$/)
  })

  it('reports how many lines a folded line represents', () => {
    expect([linesInFold('⋯ 1,118 blank lines ⋯'), linesInFold('x'), linesInFold('')]).toEqual([1118, 1, 1])
  })
})
