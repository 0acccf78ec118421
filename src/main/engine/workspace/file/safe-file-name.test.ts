import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { safeFileName } from './safe-file-name'

describe('the name of a file from another program', () => {
  test.each([
    ['report.pdf', 'report.pdf'],
    ['größe 世界.txt', 'größe 世界.txt'],
    ['../../etc/passwd', '_.._etc_passwd'],
    ['C:\\x\\run.exe', 'C__x_run.exe'],
    [' .bashrc', 'bashrc'],
    ['. . hidden', 'hidden'],
    ['run.exe. . ', 'run.exe'],
    ['evil\u202etxt.exe', 'eviltxt.exe'],
    ['CON', '_CON'],
    ['nul.txt', '_nul.txt'],
    ['console.txt', 'console.txt'],
    ['a\nb', 'ab'],
    ['\ud83d.txt', 'txt'],
    ['...', 'file'],
    ['', 'file'],
  ])('%j is %j', (given, name) => expect(safeFileName(given, 'file')).toBe(name))

  test('is always one that can be saved and is visible', async () => {
    const folder = await tempFolder()
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom('.', ' ', 'a', '世', '👋', '/', '\\', '\0', 'con', '\u200b'),
          maxLength: 300,
        }),
        (given) => {
          const name = safeFileName(given, 'file')
          expect(name).toMatch(/^[^.\s/\\][^/\\]*$/)
          expect(safeFileName(name, 'file')).toBe(name)
          writeFileSync(join(folder, name), '')
          expect(readdirSync(folder)).toContain(name)
        },
      ),
      { numRuns: 60, seed: 14 },
    )
  })

  test('keeps its extension if it is too long, whatever letters it has', () => {
    for (const letter of ['x', '世', '👋']) {
      const name = safeFileName(`${letter.repeat(300)}.pdf`, 'file')
      expect(name).toMatch(/\.pdf$/)
      expect(Buffer.byteLength(name)).toBeLessThanOrEqual(200)
      expect(Buffer.byteLength(name)).toBeGreaterThan(190)
    }
    expect(safeFileName(`a.${'y'.repeat(300)}`, 'file')).toHaveLength(200)
  })
})
