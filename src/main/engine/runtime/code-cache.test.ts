import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'

let scratch: string
let program: string
let folder: string
beforeEach(() => {
  scratch = mkdtempSync(join(tmpdir(), 'code-cache-'))
  program = join(scratch, 'program')
  folder = join(scratch, 'cache')
  mkdirSync(program)
  writeFileSync(join(program, 'part.js'), 'exports.double = (n) => n * 2\n')
  writeFileSync(
    join(program, 'main.js'),
    `const { double } = require('./part.js')
    exports.answer = () => [double(21), __dirname, require.resolve('./part.js'), typeof module.exports].join()\n`,
  )
})
afterEach(() => rmSync(scratch, { recursive: true, force: true }))

const SOURCE = JSON.stringify(join(import.meta.dirname, 'code-cache.ts'))
const HOOKS = join(import.meta.dirname, '../../../../test/support/ts-hooks.mjs')

/**
 * Runs the program with the cache in a separate process, whose first argument is the use; returns how many of its files
 * came from the cache.
 */
function run({ calls = false, flags = '' } = {}): number {
  const script = `
    import { Script } from 'node:vm'
    import { createRequire } from 'node:module'
    const { enableCodeCache, usedForCalls } = await import(${SOURCE})
    const { setV8Flag } = await import(${JSON.stringify(join(import.meta.dirname, 'v8-flags.ts'))})
    let taken = 0
    const create = Script.prototype.runInThisContext
    Script.prototype.runInThisContext = function () {
      if (this.cachedDataRejected === false) taken += 1
      return create.call(this)
    }
    enableCodeCache('command', ${JSON.stringify(folder)}, ${JSON.stringify(program)})
    ${flags}
    if (${calls}) usedForCalls()
    const { answer } = createRequire(${JSON.stringify(join(scratch, 'x'))})('./program/main.js')
    console.log(JSON.stringify({ taken, answer: answer() }))`
  const text = execFileSync(process.execPath, ['--import', HOOKS, '--input-type=module', '-e', script], {
    encoding: 'utf8',
    cwd: join(import.meta.dirname, '../../../..'),
    env: { ...process.env, CACHE: folder },
  })
  const { taken, answer } = JSON.parse(text) as { taken: number; answer: string }
  expect(answer).toBe(['42', program, join(program, 'part.js'), 'object'].join())
  return taken
}

function cacheFiles(): string[] {
  return readdirSync(folder).flatMap((use) => readdirSync(join(folder, use)).map((name) => join(folder, use, name)))
}

describe('enableCodeCache', () => {
  it('keeps compiled code for the next process, readable only by the user', () => {
    expect(run()).toBe(0)
    expect(cacheFiles().length).toBe(2)
    expect(statSync(folder).mode & 0o777).toBe(0o700)
    expect(cacheFiles().map((file) => statSync(file).mode & 0o777)).toEqual([0o600, 0o600])
    expect(run()).toBe(2)
  })

  it('recompiles a changed file, even if its size is the same', () => {
    run()
    writeFileSync(join(program, 'part.js'), 'exports.double = (n) => n + n\n')
    utimesSync(join(program, 'part.js'), 1, 1)
    expect(run()).toBe(1)
    expect(run()).toBe(2)
  })

  it('recompiles damaged files', () => {
    run()
    for (const file of cacheFiles()) truncateSync(file, 40)
    expect(run()).toBe(0)
    expect(run()).toBe(2)
  })

  it('writes again for the first process that ran tool calls, and then no more', () => {
    const isNew = (): boolean[] => cacheFiles().map((file) => statSync(file).mtimeMs > yesterday)
    const yesterday = Date.now() - 86_400_000
    const age = (): void => cacheFiles().forEach((file) => utimesSync(file, yesterday / 1000, yesterday / 1000))
    run()
    age()
    expect(run({ calls: true })).toBe(2)
    expect(isNew()).toEqual([true, true])
    age()
    expect(run({ calls: true })).toBe(2)
    expect(run()).toBe(2)
    expect(isNew()).toEqual([false, false])
  })

  it('writes again for a new version of the program', () => {
    run({ calls: true })
    writeFileSync(join(program, 'part.js'), `${readFileSync(join(program, 'part.js'), 'utf8')}\n// new`)
    run()
    const before = cacheFiles()
    expect(run({ calls: true })).toBe(2)
    const added = cacheFiles().filter((file) => !before.includes(file))
    expect(added.map((file) => basename(file))).toEqual([expect.stringMatching(/^part\.js-.*\.calls$/)])
    expect(run({ calls: true })).toBe(2)
  })

  it('is used by processes that change V8 flags while running', () => {
    const flags = "setV8Flag('--semi-space-growth-factor=1')"
    run({ flags })
    expect(run({ flags })).toBe(2)
    expect(run()).toBe(2)
  })

  it('leaves nothing behind if it cannot write', () => {
    run()
    const [first] = cacheFiles()
    rmSync(first!)
    mkdirSync(first!)
    const before = cacheFiles()
    run()
    expect(cacheFiles()).toEqual(before)
  })

  it('deletes files that were unused for a month', () => {
    mkdirSync(join(folder, 'eager'), { recursive: true, mode: 0o700 })
    chmodSync(folder, 0o700)
    const [old, recent] = [join(folder, 'eager/old'), join(folder, 'eager/recent')]
    for (const file of [old, recent]) writeFileSync(file, '')
    utimesSync(old, 1, 1)
    run()
    expect([old, recent].map((file) => existsSync(file))).toEqual([false, true])
  })

  it.skipIf(process.platform === 'win32')('does not use a folder that others can write to', () => {
    mkdirSync(folder)
    chmodSync(folder, 0o770)
    run()
    expect(readdirSync(folder)).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('does not follow a link to another folder', () => {
    mkdirSync(join(scratch, 'theirs'), { mode: 0o700 })
    symlinkSync(join(scratch, 'theirs'), folder)
    run()
    expect(readdirSync(join(scratch, 'theirs'))).toEqual([])
  })

  it.skipIf(process.platform === 'win32')('does not use a folder that others could replace', () => {
    mkdirSync(join(scratch, 'shared'))
    chmodSync(join(scratch, 'shared'), 0o777)
    folder = join(scratch, 'shared', 'cache')
    run()
    expect(existsSync(folder)).toBe(false)
    chmodSync(join(scratch, 'shared'), 0o1777)
    run()
    expect(cacheFiles().length).toBe(2)
  })

  it.skipIf(process.platform === 'win32')('does not use a folder with a parent that others could replace', () => {
    mkdirSync(join(scratch, 'shared', 'mine'), { recursive: true })
    chmodSync(join(scratch, 'shared'), 0o777)
    folder = join(scratch, 'shared', 'mine', 'cache')
    run()
    expect(existsSync(folder)).toBe(false)
    symlinkSync(join(scratch, 'shared', 'mine'), join(scratch, 'link'))
    folder = join(scratch, 'link', 'cache')
    run()
    expect(existsSync(folder)).toBe(false)
  })

  describe.skipIf(process.platform === 'win32')('when another user recreates the folder while a process runs', () => {
    const replaced = (make: string): string => `
      const fs = await import('node:fs')
      const cache = process.env.CACHE
      fs.renameSync(cache, cache + '-away')
      ${make}
      fs.chmodSync(cache, 0o777)`

    it('loads no code from it', () => {
      run()
      expect(run({ flags: replaced("fs.cpSync(cache + '-away', cache, { recursive: true })") })).toBe(0)
    })

    it('does not write to the targets of its links', () => {
      const kept = join(scratch, 'kept')
      writeFileSync(kept, 'as it was')
      run()
      const names = cacheFiles().map((file) => file.slice(folder.length + 1))
      run({
        flags: replaced(`
          for (const name of ${JSON.stringify(names)}) {
            fs.mkdirSync(cache + '/' + name.split('/')[0], { recursive: true })
            fs.symlinkSync(${JSON.stringify(kept)}, cache + '/' + name + '.' + process.pid)
          }`),
      })
      expect(readFileSync(kept, 'utf8')).toBe('as it was')
    })

    it('does not delete old files in the targets of its links', () => {
      mkdirSync(join(scratch, 'documents'))
      const old = join(scratch, 'documents', 'old')
      writeFileSync(old, '')
      utimesSync(old, 1, 1)
      const link = `fs.symlinkSync(${JSON.stringify(join(scratch, 'documents'))}, cache + '/link')`
      run({ flags: replaced(`fs.mkdirSync(cache); ${link}`) })
      expect(existsSync(old)).toBe(true)
    })
  })

  it('does not use a path relative to the working directory', () => {
    folder = 'cache'
    run()
    expect(existsSync(join(import.meta.dirname, '../../../../cache'))).toBe(false)
  })

  it('does not create the folder for temporary files', () => {
    folder = join(scratch, 'missing', 'cache')
    run()
    expect(existsSync(join(scratch, 'missing'))).toBe(false)
  })

  it('works without a cache if no folder can be created', () => {
    writeFileSync(join(scratch, 'file'), '')
    folder = join(scratch, 'file', 'cache')
    expect(run()).toBe(0)
  })
})
