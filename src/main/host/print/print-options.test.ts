import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UsageError, type Parsed } from '../../console/parse-command'
import { printOptions } from './print-options'

let folder: string
beforeEach(() => (folder = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-print-')))))
afterEach(() => rmSync(folder, { recursive: true }))

const read = (values: Parsed['values'], prompt?: string) =>
  printOptions({ values, positionals: prompt === undefined ? [] : [prompt], hasSeparator: false })
const refusal = (values: Parsed['values']): string => {
  try {
    read(values)
    return 'accepted'
  } catch (error) {
    expect(error).toBeInstanceOf(UsageError)
    return (error as Error).message
  }
}

describe('the options of print mode', () => {
  it('have their defaults, with the folder as an absolute path', () => {
    expect(read({ cwd: folder }, 'do it')).toEqual({
      prompt: 'do it',
      cwd: folder,
      noProject: false,
      format: 'text',
      continueLatest: false,
      addDirs: [],
    })
  })

  it('accept --yolo as the mode that does not ask, and reject it with another mode', () => {
    expect(read({ cwd: folder, yolo: true }).mode).toBe('auto')
    expect(read({ cwd: folder, yolo: true, 'permission-mode': 'auto' }).mode).toBe('auto')
    expect(refusal({ cwd: folder, yolo: true, 'permission-mode': 'plan' })).toContain('cannot be combined')
  })

  it('accept a step limit of at least 1', () => {
    expect(read({ cwd: folder, 'max-steps': '12' }).maxSteps).toBe(12)
    for (const steps of ['0', '-1', '1.5', '', 'many', '01', '1e3', '9999999'])
      expect(refusal({ cwd: folder, 'max-steps': steps })).toContain(`not "${steps}"`)
  })

  it('reject folders that are missing or files, and name them', () => {
    const file = join(folder, 'a.txt')
    writeFileSync(file, '')
    expect(refusal({ cwd: join(folder, 'gone') })).toBe(`--cwd: there is no folder ${join(folder, 'gone')}.`)
    expect(refusal({ cwd: folder, 'add-dir': [file] })).toBe(`--add-dir: ${file} is not a folder.`)
    expect(read({ cwd: folder, 'add-dir': [folder] }).addDirs).toEqual([folder])
  })

  it('accept a folder on a place unchanged, but only as a complete path', () => {
    expect(read({ place: 'box' })).toMatchObject({ place: 'box', placeCwd: '~' })
    for (const cwd of ['~', '/srv/app', '~/app']) expect(read({ place: 'box', cwd }).placeCwd).toBe(cwd)
    for (const cwd of ['app', './app', '~ada/app', '']) expect(refusal({ place: 'box', cwd })).toContain(`not "${cwd}"`)
  })

  it('continue one session, not two', () => {
    expect(read({ cwd: folder, session: 's1' })).toMatchObject({ sessionId: 's1', continueLatest: false })
    expect(refusal({ cwd: folder, session: 's1', continue: true })).toContain('cannot be combined')
  })
})
