import { describe, expect, test } from 'vitest'
import type { SandboxStatus } from '../model/task/sandbox'
import {
  confinementOf,
  INCOMPLETE_SEARCH_NOTE,
  modeDescription,
  remedyParts,
  sandboxLabel,
  sandboxPermissions,
  unavailableText,
} from './sandbox-text'

describe('the text for a sandbox', () => {
  test('names the level and, if commands can write, the network', () => {
    expect(sandboxLabel({ level: 'read-only', network: 'none' })).toBe('Read-only')
    expect(sandboxLabel({ level: 'project', network: 'none' })).toBe('Project · no network')
    expect(sandboxLabel({ level: 'project', network: 'listed' })).toBe('Project · listed hosts')
    expect(sandboxLabel({ level: 'unrestricted', network: 'open' })).toBe('Unrestricted')
  })

  test('says "No sandbox" at every level, and then promises nothing', () => {
    const status = {
      level: 'project',
      network: 'none',
      unavailable: { reason: 'bubblewrap is not installed.' },
    } as const
    expect(sandboxLabel(status)).toBe('No sandbox')
    expect(sandboxPermissions(status).map(({ title }) => title)).not.toContain('Never visible')
    expect(confinementOf(status, undefined)).toBe('none')
  })
})

describe('a project that is too large to search', () => {
  test('has a warning wherever there is a sandbox, and only there', () => {
    const warnings = (status: SandboxStatus): string[] =>
      sandboxPermissions(status).flatMap(({ title, text }) => (title === 'Warning' ? [text] : []))
    expect(warnings({ level: 'project', network: 'none', isIncomplete: true })).toEqual([INCOMPLETE_SEARCH_NOTE])
    expect(warnings({ level: 'project', network: 'none' })).toEqual([])
    expect(warnings({ level: 'unrestricted', network: 'open', isIncomplete: true })).toEqual([])
  })
})

describe('the advice for a missing sandbox', () => {
  test('is a command to copy, alone or within text, or a sentence', () => {
    const command = 'sudo apt-get install -y bubblewrap socat'
    expect(remedyParts(command)).toEqual({ words: '', command })
    expect(remedyParts(`Install it: \`${command}\``)).toEqual({ words: 'Install it:', command })
    expect(remedyParts('Install the packages bubblewrap and socat.')).toEqual({
      words: 'Install the packages bubblewrap and socat.',
    })
    expect(unavailableText({ reason: 'bubblewrap is not installed.', remedy: command })).toBe(
      `bubblewrap is not installed. To fix it, run: ${command}`,
    )
  })
})

describe('the meaning of a mode', () => {
  test('promises a sandbox only if there is one', () => {
    expect(confinementOf({ level: 'project' }, undefined)).toBe('sandboxed')
    expect(confinementOf(undefined, { mode: 'auto', status: { available: true } })).toBe('sandboxed')
    expect(confinementOf(undefined, { mode: 'auto' })).toBe('none')
    expect(confinementOf(undefined, { mode: 'off', status: { available: true } })).toBe('none')
    expect(confinementOf(undefined, undefined)).toBe('none')
    expect(confinementOf({ level: 'unrestricted' }, { mode: 'auto', status: { available: true } })).toBe('none')
  })

  test('says that commands ask if a required sandbox is unavailable', () => {
    expect(confinementOf(undefined, { mode: 'required', status: { available: false } })).toBe('asks')
    expect(
      confinementOf({ level: 'unrestricted', unavailable: { reason: '', isRequired: true } }, { mode: 'auto' }),
    ).toBe('asks')
    expect(modeDescription('auto', 'asks')).toContain('asks before every command')
    expect(modeDescription('auto', 'none')).toContain('unrestricted')
    expect(modeDescription('accept-edits', 'none')).toContain('asks before commands')
  })
})
