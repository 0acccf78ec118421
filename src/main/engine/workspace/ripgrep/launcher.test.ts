import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { runTs } from '../../../../../test/support/run-ts'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { until } from '../../../../../test/support/until'
import { Launcher } from './launcher'

function collected() {
  const got = { output: Buffer.alloc(0), errors: Buffer.alloc(0) }
  return {
    got,
    output: (chunk: Buffer) => void (got.output = Buffer.concat([got.output, chunk])),
    errors: (chunk: Buffer) => void (got.errors = Buffer.concat([got.errors, chunk])),
  }
}

function launcher(): Launcher {
  const made = new Launcher()
  onTestFinished(() => made.close())
  return made
}

async function run(with_: Launcher, program: string, args: string[], cwd = '/') {
  const into = collected()
  const running = with_.start(program, args, cwd, into)
  if (!running) throw new Error('busy')
  const code = await running.ended
  return { code, output: into.got.output.toString('utf8'), errors: into.got.errors.toString('utf8') }
}

async function script(text: string): Promise<string> {
  const path = join(await tempFolder(), 'program')
  await writeFile(path, `#!/bin/sh\n${text}\n`)
  await chmod(path, 0o755)
  return path
}

describe('Launcher', () => {
  it('passes arguments unchanged, including shell syntax', async () => {
    const odd = ["it's", '$HOME `id` $(id)', 'new\nline', '\\', '*', '', '-n', 'ä 日本', '; exit 3', '!x', '"']
    const program = await script('for each; do printf "[%s]" "$each"; done')
    expect(await run(launcher(), program, odd)).toEqual({
      code: 0,
      output: odd.map((each) => `[${each}]`).join(''),
      errors: '',
    })
  })

  it('runs one program after the other, each with its own folder, output, errors and exit code', async () => {
    const one = launcher()
    const folder = await tempFolder()
    const program = await script('pwd; echo "error $1" >&2; exit $1')
    for (const code of [0, 1, 2, 3])
      expect(await run(one, program, [String(code)], folder)).toEqual({
        code,
        output: `${folder}\n`,
        errors: `error ${code}\n`,
      })
  })

  it('gives programs none of our environment and no input', async () => {
    const { output } = await run(launcher(), await script('env; cat'), [])
    expect(output.split('\n').filter((line) => !/^(PWD|OLDPWD|SHLVL|_)=/.test(line))).toEqual([''])
  })

  it('passes on large binary output unchanged', async () => {
    const bytes = join(await tempFolder(), 'bytes')
    await writeFile(bytes, Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 251)))
    const into = collected()
    await launcher().start('/bin/cat', [bytes], '/', into)?.ended
    expect(into.got.output.equals(readFileSync(bytes))).toBe(true)
  })

  it('finds the end of output without a trailing newline', async () => {
    const one = launcher()
    const program = await script('printf no-newline; printf "also not" >&2')
    for (let round = 0; round < 20; round++)
      expect(await run(one, program, [])).toEqual({ code: 0, output: 'no-newline', errors: 'also not' })
  })

  it('reports that it is busy instead of mixing two programs', async () => {
    const one = launcher()
    const first = one.start('/bin/sleep', ['60'], '/', collected())
    expect(one.start('/bin/echo', [], '/', collected())).toBeUndefined()
    first?.kill()
    expect(await first?.ended).toBeUndefined()
    expect((await run(one, '/bin/echo', ['free'])).output).toBe('free\n')
  })

  it('kills a program even if requested before it has started, and stays usable', async () => {
    const one = launcher()
    for (let round = 0; round < 10; round++) {
      const running = one.start('/bin/sleep', ['60'], '/', collected())
      running?.kill()
      expect(await running?.ended).toBeUndefined()
    }
    expect(await run(one, '/bin/echo', ['ok'])).toEqual({ code: 0, output: 'ok\n', errors: '' })
  })

  it('fails the run if its shell dies, and uses a new shell for the next', async () => {
    const one = launcher()
    const running = one.start('/bin/sh', ['-c', 'kill -9 $PPID; exec sleep 60'], '/', collected())
    await expect(running?.ended).rejects.toThrow(/launcher ended/i)
    expect((await run(one, '/bin/echo', ['again'])).output).toBe('again\n')
  })

  it('reports a missing program and a missing folder', async () => {
    const one = launcher()
    expect((await run(one, '/no/such/program', [])).code).toBe(127)
    expect((await run(one, '/bin/true', [], '/no/such/folder')).code).not.toBe(0)
    expect((await run(one, '/bin/echo', ['ok'])).output).toBe('ok\n')
  })

  it('exits with the process it works for, even if that is killed', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'user.ts')
    await writeFile(
      file,
      `import { Launcher } from '${join(import.meta.dirname, 'launcher.ts')}'\n` +
        "const into = { output() {}, errors() {} }\nawait new Launcher().start('/bin/true', " +
        "[], '/', into)?.ended\nconsole.log('ready')\nsetInterval(() => {}, 1000)\n",
    )
    const user = runTs(file)
    await user.line('ready')
    const [shell] = childrenOf(user.child.pid!)
    expect(shell).toBeGreaterThan(0)
    await user.kill()
    await until(() => !isAlive(shell!), 'the end of the shell')
  })

  it('does not keep the process it works for alive', async () => {
    const folder = await tempFolder()
    const file = join(folder, 'user.ts')
    await writeFile(
      file,
      `import { Launcher } from '${join(import.meta.dirname, 'launcher.ts')}'\nconst into = { output() {}, ` +
        "errors() {} }\nawait new Launcher().start('/bin/true', [], '/', into)?.ended\n",
    )
    const user = runTs(file)
    expect(await user.done).toMatchObject({ code: 0 })
  })
})

function childrenOf(pid: number): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((each) => {
      try {
        return readFileSync(`/proc/${each}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(pid)
      } catch {
        return false
      }
    })
}

function isAlive(pid: number): boolean {
  try {
    // A zombie counts as ended.
    return !execFileSync('ps', ['-o', 'stat=', '-p', String(pid)], { encoding: 'utf8' }).startsWith('Z')
  } catch {
    return false
  }
}
