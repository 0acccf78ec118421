import { expect, test } from 'vitest'
import type { UpdateState, UpdatesView } from '../../../shared/configuration/app'
import { updateStateText } from './updates-part'

const release = { version: '1.1.0', notes: '', date: '' }
const words = (state: UpdateState): string => {
  const view: UpdatesView = { installed: '1.0.0', state, channel: 'stable', automatic: true, previous: null }
  return updateStateText(view)
}

test('a pending update shows what it waits for', () => {
  expect(words({ kind: 'ready', release, whenIdle: false, waitsFor: '1 session is working' })).toBe(
    'Version 1.1.0 is ready to install. It will be installed when you close Trestle.',
  )
  expect(words({ kind: 'ready', release, whenIdle: true, waitsFor: '1 session is working' })).toBe(
    'Version 1.1.0 is ready to install. Trestle restarts when nothing is running: 1 session is working.',
  )
})

test('Trestle claims to be up to date only after a successful check', () => {
  expect(words({ kind: 'current' })).not.toContain('up to date')
  expect(words({ kind: 'current', checkedAt: 1 })).toBe('Version 1.0.0 is up to date.')
  expect(words({ kind: 'current', checkedAt: 1, problem: { message: 'm', advice: 'a' } })).not.toContain('up to date')
})

test('an app that cannot update itself shows why', () => {
  expect(words({ kind: 'unavailable', reason: 'Install a newer package to update it.' })).toBe(
    'Version 1.0.0 is installed. Install a newer package to update it.',
  )
})
