import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { openAppLog, recentErrors, createRedact } from './app-log'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-log-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const all = (): string =>
  readdirSync(join(home, 'logs'))
    .map((name) => readFileSync(join(home, 'logs', name), 'utf8'))
    .join('')

describe('the log', () => {
  it('is readable only by the user, and limited in size', () => {
    const log = openAppLog({ home, redact: (text) => text, mostBytes: 1000 })
    for (let n = 0; n < 200; n += 1) log(`entry ${n} ${'x'.repeat(100)}`)
    expect(readdirSync(join(home, 'logs')).toSorted()).toEqual([
      'trestle.1.log',
      'trestle.2.log',
      'trestle.3.log',
      'trestle.log',
    ])
    for (const name of readdirSync(join(home, 'logs')))
      expect(statSync(join(home, 'logs', name)).size).toBeLessThan(1300)
    expect(statSync(log.file).mode & 0o777).toBe(0o600)
    expect(statSync(join(home, 'logs')).mode & 0o777).toBe(0o700)
    expect(readFileSync(log.file, 'utf8')).toContain('entry 199')
  })

  it('returns the latest errors, without info messages', () => {
    const log = openAppLog({ home, redact: (text) => text, now: () => Date.UTC(2026, 10, 22) })
    log.info('started')
    log('first\n    at somewhere')
    log('second')
    expect(recentErrors(home)).toEqual([
      { at: '2026-11-22T00:00:00.000Z', message: 'first' },
      { at: '2026-11-22T00:00:00.000Z', message: 'second' },
    ])
    expect(recentErrors(home, 1)).toHaveLength(1)
    expect(recentErrors(join(home, 'nowhere'))).toEqual([])
  })

  it('contains no keys: neither from variables, the key store or the configuration, nor text that looks like one', () => {
    const seeded = {
      variable: 'plain-words-that-are-a-password',
      stored: 'stored-key-0123456789',
      github: `ghp_${'a1B2'.repeat(9)}`,
      anthropic: `sk-ant-${'x9Y8'.repeat(12)}`,
      bearer: 'Bearer abcdefghijklmnop0123456789',
      url: 'https://me:hunter2-hunter2@proxy.example/',
    }
    const redact = createRedact({
      env: { DB_PASSWORD: seeded.variable, PATH: '/usr/bin' },
      known: () => [seeded.stored],
    })
    const log = openAppLog({ home, redact })
    for (const value of Object.values(seeded)) log(`the request failed: ${value}; PATH=/usr/bin`)
    for (const value of [
      seeded.variable,
      seeded.stored,
      seeded.github,
      seeded.anthropic,
      'abcdefghijklmnop0123456789',
      'hunter2',
    ])
      expect(all()).not.toContain(value)
    expect(all().match(/the request failed: .*\[redacted\]/g)).toHaveLength(6)
    expect(all().match(/PATH=\/usr\/bin/g)).toHaveLength(6)
  })
})

it('prints nothing to stderr if another process has moved an older file', () => {
  const log = openAppLog({ home, redact: (text) => text, mostBytes: 100 })
  for (let n = 0; n < 20; n += 1) {
    log(`entry ${n} ${'x'.repeat(100)}`)
    // As after a simultaneous rotation by another process.
    for (const name of readdirSync(join(home, 'logs')))
      if (/\d/.test(name)) rmSync(join(home, 'logs', name), { force: true })
  }
  expect(readFileSync(log.file, 'utf8')).toContain('entry 19')
})
