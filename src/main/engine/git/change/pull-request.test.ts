import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { programOnPath } from './pull-request'

test.runIf(process.platform !== 'win32')('a program is the first executable file on PATH', async () => {
  const [plain, folder, right, later] = await Promise.all([tempFolder(), tempFolder(), tempFolder(), tempFolder()])
  writeFileSync(join(plain, 'gh'), 'not executable')
  mkdirSync(join(folder, 'gh'))
  for (const place of [right, later]) {
    writeFileSync(join(place, 'gh'), '#!/bin/sh\n')
    chmodSync(join(place, 'gh'), 0o755)
  }
  const pathOf = (...folders: string[]): { PATH: string } => ({ PATH: folders.join(delimiter) })
  expect(programOnPath('gh', pathOf(plain, folder, right, later))).toBe(join(right, 'gh'))
  expect(programOnPath('gh', pathOf(plain, folder))).toBeUndefined()
})

test('a program is never searched for in the current folder', () => {
  expect(programOnPath('gh', { PATH: ['', '.', 'bin'].join(delimiter) })).toBeUndefined()
  expect(programOnPath('gh', {})).toBeUndefined()
})
