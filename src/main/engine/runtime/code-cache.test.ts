import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let scratch: string
beforeEach(() => (scratch = mkdtempSync(join(tmpdir(), 'code-cache-'))))
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

/** In a process of its own: the folder cannot be changed later. */
function runWithCache(folder: string): boolean {
  const program = join(scratch, 'program.cjs')
  writeFileSync(program, 'exports.answer = 42\n')
  const script = `
    const { enableCodeCache, hasCodeCache } = await import(${JSON.stringify(join(import.meta.dirname, 'code-cache.ts'))})
    enableCodeCache('lazy', ${JSON.stringify(folder)})
    await import(${JSON.stringify(program)})
    console.log(hasCodeCache())`
  const env = { ...process.env }
  delete env['NODE_COMPILE_CACHE']
  return (
    execFileSync(process.execPath, ['--input-type=module', '-e', script], { env, cwd: scratch, encoding: 'utf8' }) ===
    'true\n'
  )
}

describe('enableCodeCache', () => {
  it('keeps compiled code in a folder that only the user can enter', () => {
    const folder = join(scratch, 'cache')
    expect(runWithCache(folder)).toBe(true)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(readdirSync(folder)).not.toEqual([])
  })

  it.skipIf(process.platform === 'win32')('does not use a folder that others can write to', () => {
    const folder = join(scratch, 'cache')
    mkdirSync(folder)
    chmodSync(folder, 0o770)
    expect(runWithCache(folder)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')('does not follow a link to another folder', () => {
    const folder = join(scratch, 'cache')
    mkdirSync(join(scratch, 'theirs'), { mode: 0o700 })
    symlinkSync(join(scratch, 'theirs'), folder)
    expect(runWithCache(folder)).toBe(false)
  })

  it.skipIf(process.platform === 'win32')('does not use a folder that others could replace', () => {
    mkdirSync(join(scratch, 'shared'))
    chmodSync(join(scratch, 'shared'), 0o777)
    expect(runWithCache(join(scratch, 'shared', 'cache'))).toBe(false)
    chmodSync(join(scratch, 'shared'), 0o1777)
    expect(runWithCache(join(scratch, 'shared', 'cache'))).toBe(true)
  })

  it('does not use a folder that depends on where it is started', () => {
    expect(runWithCache('cache')).toBe(false)
    expect(existsSync(join(scratch, 'cache'))).toBe(false)
  })

  it('does not make the folder for temporary files', () => {
    expect(runWithCache(join(scratch, 'missing', 'cache'))).toBe(false)
    expect(existsSync(join(scratch, 'missing'))).toBe(false)
  })

  it('does without where no folder can be made', () => {
    writeFileSync(join(scratch, 'file'), '')
    expect(runWithCache(join(scratch, 'file', 'cache'))).toBe(false)
  })
})
