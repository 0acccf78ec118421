import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { isAlive } from '../../../../test/support/marked-pids'
import { until } from '../../../../test/support/until'
import { readLoginShell, type LoginShellRequest } from './login-shell'

let home = ''
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-shell-'))
})
afterEach(() => rmSync(home, { recursive: true, force: true }))

const node = { path: process.execPath }
/** The environment of a program that was started from a dock. */
const bare = (): NodeJS.ProcessEnv => ({ HOME: home, PATH: '/usr/bin:/bin:/usr/sbin:/sbin', USER: 'user' })
const read = (shell: string, more: Partial<LoginShellRequest> = {}) =>
  readLoginShell({ shell, env: bare(), cwd: home, node, limitMs: 60_000, ...more })
const write = (name: string, ...lines: string[]): void => writeFileSync(join(home, name), `${lines.join('\n')}\n`)
const pathOf = async (shell: string, more?: Partial<LoginShellRequest>): Promise<string> => {
  const answer = await read(shell, more)
  return 'env' in answer ? (answer.env['PATH'] ?? '') : `${answer.problem} ${answer.advice}`
}

const SHELLS = [
  { shell: '/bin/bash', file: '.bash_profile', set: 'export PATH="$HOME/tools:$PATH"' },
  { shell: '/usr/bin/zsh', file: '.zshrc', set: 'path=("$HOME/tools" $path)' },
  { shell: '/bin/dash', file: '.profile', set: 'PATH="$HOME/tools:$PATH"; export PATH' },
  { shell: '/usr/bin/fish', file: '.config/fish/config.fish', set: 'set -gx PATH $HOME/tools $PATH' },
]

for (const { shell, file, set } of SHELLS)
  describe.skipIf(!existsSync(shell))(`${shell} as the login shell`, () => {
    const startup = (...lines: string[]): void => {
      if (file.includes('/')) new Set(['.config', '.config/fish']).forEach((folder) => mkdirIn(folder))
      write(file, ...lines)
    }

    it('returns the PATH and variables that its startup files set', async () => {
      startup(set, shell.endsWith('fish') ? 'set -gx SOME_VALUE "two words"' : 'export SOME_VALUE="two words"')
      const answer = await read(shell)
      expect(answer).toMatchObject({ env: { SOME_VALUE: 'two words' } })
      expect(await pathOf(shell)).toContain(`${home}/tools:`)
    })

    it('returns the same without Node', async () => {
      startup(set)
      const answer = await readLoginShell({ shell, env: bare(), cwd: home, limitMs: 60_000 })
      expect('env' in answer && answer.env['PATH']).toContain(`${home}/tools:`)
    })

    it('ignores banners, and variables of the shell or of Trestle', async () => {
      startup('echo "{ welcome }"', 'echo noise >&2', 'cd /', set, 'echo trestle{}')
      const answer = await read(shell, {
        env: { ...bare(), ELECTRON_RUN_AS_NODE: '1', TRESTLE_HOME: '/x', TERM: 'vt100' },
        node: { ...node, env: { ELECTRON_RUN_AS_NODE: '1' } },
      })
      const names = Object.keys('env' in answer ? answer.env : {})
      expect(names).toContain('PATH')
      for (const name of [
        'PWD',
        'OLDPWD',
        'SHLVL',
        '_',
        'TERM',
        'ELECTRON_RUN_AS_NODE',
        'TRESTLE_HOME',
        'DISABLE_AUTO_UPDATE',
      ])
        expect(names).not.toContain(name)
    })

    it('reports the exit code and the error output if a startup file ends it', async () => {
      startup(
        shell.endsWith('fish')
          ? 'echo "fish: no such theme" >&2; exec /bin/sh -c "exit 3"'
          : 'echo "no such theme" >&2; exit 3',
      )
      const answer = await read(shell)
      expect(answer).toMatchObject({
        problem: expect.stringMatching(
          /ended with exit code 3 before it printed its environment\. It said: .*no such theme/,
        ),
        advice: expect.stringContaining('-i -l -c env'),
      })
    })

    it('times out, and is killed with everything it started', async () => {
      startup(`/bin/sh -c 'echo $$ > ${home}/pid; exec sleep 600'`)
      const answer = await read(shell, { limitMs: 2_000 })
      expect(answer).toMatchObject({ problem: expect.stringContaining('did not finish its startup files within 2 s') })
      const pid = Number(readFileSync(join(home, 'pid'), 'utf8'))
      await until(() => !isAlive(pid), 'the end of what it started')
    })
  })

function mkdirIn(folder: string): void {
  mkdirSync(join(home, folder), { recursive: true })
}

describe('the login shell', () => {
  it('does not wait for background processes of its startup files, which keep running', async () => {
    write('.bash_profile', `(exec sleep 600) & echo $! > ${home}/pid`)
    const began = performance.now()
    expect(await read('/bin/bash')).toHaveProperty('env.PATH')
    expect(performance.now() - began).toBeLessThan(30_000)
    const pid = Number(readFileSync(join(home, 'pid'), 'utf8'))
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
  })

  it('has empty standard input, so that a question in a startup file does not hang it', async () => {
    write('.bash_profile', 'read answer; export ANSWER="got:$answer"')
    expect(await read('/bin/bash')).toMatchObject({ env: { ANSWER: 'got:' } })
  })

  it('can detect that Trestle started it', async () => {
    write('.bash_profile', '[ -n "$TRESTLE_RESOLVING_ENVIRONMENT" ] && export SEEN=1')
    expect(await read('/bin/bash')).toMatchObject({ env: { SEEN: '1' } })
  })

  it('keeps multi-line values', async () => {
    write('.bash_profile', `export LINES_OF_TEXT=$'one\\ntwo=2\\n'`)
    expect(await read('/bin/bash')).toMatchObject({ env: { LINES_OF_TEXT: 'one\ntwo=2\n' } })
    expect(await readLoginShell({ shell: '/bin/bash', env: bare(), cwd: home })).toMatchObject({
      env: { LINES_OF_TEXT: 'one\ntwo=2\n' },
    })
  })

  it('reports what to do if it does not exist', async () => {
    expect(await read('/no/such/shell')).toMatchObject({
      problem: expect.stringContaining('The login shell /no/such/shell could not be started'),
      advice: expect.stringContaining('chsh'),
    })
  })

  it('reports an empty PATH', async () => {
    write('.bash_profile', 'export PATH=')
    expect(await read('/bin/bash')).toMatchObject({ problem: expect.stringContaining('without a PATH') })
  })

  it('is stopped if it prints endlessly', async () => {
    write('.bash_profile', 'yes')
    expect(await read('/bin/bash')).toMatchObject({ problem: expect.stringContaining('printed more than 4 MB') })
  })

  it.each([
    ['nu', ['-i', '-l', '-c'], "^'"],
    ['pwsh', ['-Login', '-Command'], "& '"],
    ['tcsh', ['-i', '-c'], "'"],
  ])('%s gets the arguments and call syntax of its kind', async (name, args, call) => {
    const shell = join(home, name)
    // A fake shell that records its arguments and prints what the program would.
    writeFileSync(
      shell,
      `#!/bin/bash\nprintf '%s\\n' "$@" > ${home}/args\n` +
        `/bin/sh -c "$(sed 's/^\\^//; s/^& //; s/; .*//' <<< "\${@: -1}")"\n`,
    )
    chmodSync(shell, 0o755)
    expect(await read(shell)).toHaveProperty('env.PATH')
    const given = readFileSync(join(home, 'args'), 'utf8').split('\n')
    expect(given.slice(0, args.length)).toEqual(args)
    expect(given[args.length]).toMatch(new RegExp(`^${call.replace('^', '\\^')}`))
  })
})
