import { chmod, readFile, writeFile } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isRunning } from '../../../../../test/support/source-task-host'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { until } from '../../../../../test/support/until'
import { searchFailure, unreadableFiles, outsideAsar, ripgrepPath, runRipgrep } from './run-ripgrep'

/** A replacement for ripgrep that behaves as ripgrep only rarely does. */
async function pretend(script: string) {
  const cwd = await tempFolder()
  const program = join(cwd, 'rg')
  await writeFile(program, `#!/bin/sh\ncd '${cwd}'\n${script}\n`)
  await chmod(program, 0o755)
  return { cwd, program }
}

describe('runRipgrep', () => {
  it('distinguishes found, not found and failed', async () => {
    const cwd = await tempFolder()
    await writeFile(join(cwd, 'a'), 'x')
    const run = (pattern: string) => runRipgrep(['-l', `--regexp=${pattern}`, '--', './'], { cwd })
    expect(await run('x')).toMatchObject({ exitCode: 0, errors: '' })
    expect(await run('y')).toMatchObject({ exitCode: 1, output: Buffer.alloc(0) })
    expect(await run('(')).toMatchObject({ exitCode: 2, errors: expect.stringContaining('regex parse error') })
  })

  it('returns results and error lines if only some files could not be read', async () => {
    const { cwd, program } = await pretend(
      'printf "./a\\0001\\n"; echo "rg: ./b: Permission denied (os error 13)" >&2; exit 2',
    )
    const run = await runRipgrep([], { cwd, program })
    expect(run).toMatchObject({ exitCode: 2, output: Buffer.from('./a\x001\n') })
    expect(searchFailure(run)).toBeUndefined()
    expect(unreadableFiles(run)).toEqual(['b: Permission denied (os error 13)'])
  })

  it('does not report a failure if a search found nothing because files could not be read', async () => {
    const { cwd, program } = await pretend('echo "rg: ./b: Permission denied (os error 13)" >&2; exit 2')
    expect(searchFailure(await runRipgrep([], { cwd, program }))).toBeUndefined()
  })

  it('retries on one thread if the system has no thread left, but only once', async () => {
    const failing =
      'echo "$*" >> calls; ' +
      'echo "rg: failed to spawn thread: Resource temporarily unavailable (os error 11)" >&2; exit 2'
    const always = await pretend(failing)
    expect(await runRipgrep(['x'], always)).toMatchObject({ exitCode: 2 })
    expect((await readFile(join(always.cwd, 'calls'), 'utf8')).trim().split('\n')).toEqual([
      '--no-config x',
      '--no-config -j1 --line-buffered x',
    ])
    const once = await pretend(`if [ "$2" = -j1 ]; then echo found; exit 0; fi; ${failing}`)
    expect(await runRipgrep(['x'], once)).toMatchObject({ exitCode: 0, output: Buffer.from('found\n') })
  })

  it('kills it when time is up, and keeps the output so far', async () => {
    const { cwd, program } = await pretend('echo $$; exec sleep 60')
    const run = await runRipgrep([], { cwd, program, timeoutMs: 300 })
    expect(run).toMatchObject({ stopped: 'timeout', exitCode: undefined })
    expect(isRunning(Number(run.output.toString()))).toBe(false)
  })

  it('kills it if it prints more than the limit', async () => {
    const { cwd, program } = await pretend('echo $$ > pid; exec yes aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa')
    const run = await runRipgrep([], { cwd, program, maxBytes: 100_000 })
    expect(run).toMatchObject({ stopped: 'output_limit' })
    expect(run.output.length).toBe(100_000)
    expect(isRunning(Number(await readFile(join(cwd, 'pid'), 'utf8')))).toBe(false)
  })

  it('kills it when the call is aborted, and returns immediately if it already was', async () => {
    const { cwd, program } = await pretend('echo $$ > pid; mv pid started; exec sleep 60')
    const abort = new AbortController()
    const running = runRipgrep([], { cwd, program, signal: abort.signal })
    let pid = 0
    const look = setInterval(
      () =>
        void readFile(join(cwd, 'started'), 'utf8').then(
          (text) => (pid = Number(text)),
          () => undefined,
        ),
      2,
    )
    await until(() => pid > 0, 'the start')
    clearInterval(look)
    abort.abort()
    expect(await running).toMatchObject({ stopped: 'aborted' })
    expect(isRunning(pid)).toBe(false)
    expect(await runRipgrep([], { cwd, program, signal: abort.signal })).toMatchObject({
      stopped: 'aborted',
      output: Buffer.alloc(0),
    })
  })

  it('keeps many concurrent searches separate', async () => {
    const cwd = await tempFolder()
    const names = Array.from({ length: 12 }, (_, index) => `file-${index}`)
    for (const name of names) await writeFile(join(cwd, name), `${name} `.repeat(1000))
    const runs = await Promise.all(
      names.map((name) => runRipgrep(['-o', `--regexp=${name} `, '--', `./${name}`], { cwd })),
    )
    for (const [index, run] of runs.entries()) {
      expect(run).toMatchObject({ exitCode: 0, errors: '' })
      expect(run.output.toString()).toBe(`${names[index]} \n`.repeat(1000))
    }
  })

  it('rejects if it cannot be started', async () => {
    const cwd = await tempFolder()
    await expect(runRipgrep([], { cwd, program: join(cwd, 'nothing') })).rejects.toThrow(/ENOENT/)
  })

  it("ignores the user's configuration file", async () => {
    const cwd = await tempFolder()
    await writeFile(join(cwd, 'a'), 'X')
    await writeFile(join(cwd, 'config'), '--ignore-case\n')
    process.env['RIPGREP_CONFIG_PATH'] = join(cwd, 'config')
    try {
      expect(await runRipgrep(['x', './a'], { cwd })).toMatchObject({ exitCode: 1 })
    } finally {
      delete process.env['RIPGREP_CONFIG_PATH']
    }
  })
})

describe('ripgrepPath', () => {
  it('is outside the archive of a packed application, where programs can be started', async () => {
    const packed = ['', 'opt', 'Trestle', 'resources', 'app.asar', 'node_modules', 'rg'].join(sep)
    expect(outsideAsar(packed)).toBe(packed.replace('app.asar', 'app.asar.unpacked'))
    expect(outsideAsar(outsideAsar(packed))).toBe(outsideAsar(packed))
    expect(await ripgrepPath()).toMatch(/rg(\.exe)?$/)
  })
})
