import { expect, it } from 'vitest'
import { fileProblem } from '../workspace/path/file-problem'
import { writeFailure } from './write-failure'

const failed = (code: string): Error => Object.assign(new Error(`${code}: it failed, write`), { code })

it('advises to free space when the disk is full, also when the error was reworded', () => {
  for (const cause of [failed('ENOSPC'), failed('EDQUOT'), fileProblem(failed('ENOSPC'), 'mcp.json')]) {
    const { code, message, advice } = writeFailure('mcp.json could not be written.', cause).failure
    expect({ code, message }).toEqual({ code: 'store.full', message: 'mcp.json could not be written.' })
    expect(advice).toMatch(/^Free some space/)
  }
})

it('advises to check the file for any other failure', () => {
  const { code, advice } = writeFailure('mcp.json could not be written.', failed('EACCES')).failure
  expect(code).toBe('config.write_failed')
  expect(advice).toContain('writable')
})
