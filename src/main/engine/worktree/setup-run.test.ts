import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { worktreeRecords } from '../config/worktree-record'
import { setupOutput } from './setup-run'

test('the latest output of a setup command is never cut within a character', async () => {
  const home = await tempFolder()
  mkdirSync(worktreeRecords(home), { recursive: true })
  const outputOf = (text: string): string => {
    writeFileSync(join(worktreeRecords(home), 'w.log'), text)
    return setupOutput(home, 'w')
  }
  expect(setupOutput(home, 'w')).toBe('')
  expect(outputOf('')).toBe('')
  expect(outputOf('größe\n')).toBe('größe\n')
  for (const extra of ['', 'x', 'xx', 'xxx']) {
    const output = outputOf(`${'👋'.repeat(5_000)}${extra}`)
    expect(output).toMatch(/^(?:👋)+x*$/u)
    expect(Buffer.byteLength(output)).toBeGreaterThan(16 * 1024 - 4)
  }
  expect(outputOf(`old ${'y'.repeat(16 * 1024)}`)).toBe('y'.repeat(16 * 1024))
})
