import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { configuredFuses } from '../../scripts/package/program-checks'

const ROOT = join(import.meta.dirname, '..', '..')
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8')
const security = read('docs/desktop-security.md')
const rows = [...security.matchAll(/^\| (\d+) +\|(.*)$/gm)].map(([, number, cells]) => ({
  number: Number(number),
  check: cells!.split('|')[2]!.trim(),
}))

describe('the documentation of the desktop app', () => {
  test("names a check for each of Electron's 20 recommendations", () => {
    expect(rows.map(({ number }) => number)).toEqual(Array.from({ length: 20 }, (_, index) => index + 1))
    let named: string | undefined
    for (const { check } of rows) {
      named = check.startsWith('the same') ? named : /`([^`]+)`/.exec(check)?.[1]
      expect(named).toMatch(/\.ts$/)
    }
  })

  test('names only checks that exist', () => {
    for (const [, file, words] of security.matchAll(/`((?:test|scripts)\/[\w/.-]+\.ts)`: ([^|;]+)/g)) {
      expect(existsSync(join(ROOT, file!))).toBe(true)
      expect(read(file!)).toContain(words!.trim())
    }
  })

  test('lists the fuses as configured', () => {
    const listed = [...security.matchAll(/^\| `(\w+)` +\| (on|off) +\|/gm)].map(([, name, state]) => [
      name,
      state === 'on',
    ])
    expect(Object.fromEntries(listed)).toEqual(configuredFuses())
  })

  test("pins Electron's version", () => {
    // As stated in the table: the version is pinned.
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> }
    expect(devDependencies['electron']).toMatch(/^\d+\.\d+\.\d+$/)
  })

  test('explains for every built package how it is installed, and how data is removed', () => {
    const install = read('docs/install.md')
    for (const word of [
      '.dmg',
      '.zip',
      '.exe',
      '.deb',
      '.AppImage',
      '~/.trestle',
      'Uninstalling',
      'First start',
      'Updates',
    ])
      expect(install).toContain(word)
    expect(read('README.md')).toContain('docs/install.md')
  })
})
