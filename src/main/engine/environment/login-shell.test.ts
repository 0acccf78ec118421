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
/** What a program gets that was started from a dock. */
const bare = (): NodeJS.ProcessEnv => ({ HOME: home, PATH: '/usr/bin:/bin:/usr/sbin:/sbin', USER: 'someone' })
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

    it('gives the PATH and the variables that its startup files make', async () => {
      startup(set, shell.endsWith('fish') ? 'set -gx SOME_VALUE "two words"' : 'export SOME_VALUE="two words"')
      const answer = await read(shell)
      expect(answer).toMatchObject({ env: { SOME_VALUE: 'two words' } })
      expect(await pathOf(shell)).toContain(`${home}/tools:`)
    })

    it('gives the same without Node', async () => {
      startup(set)
      const answer = await readLoginShell({ shell, env: bare(), cwd: home, limitMs: 60_000 })
      expect('env' in answer && answer.env['PATH']).toContain(`${home}/tools:`)
    })

    it('is not disturbed by banners, and takes nothing over that belongs to the shell or to Trestle', async () => {
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

    it('says with which code it ended, and what it said, when a startup file ends it', async () => {
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

    it('is given up at the limit, and killed with all that it started', async () => {
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
  it('is not waited for because of what its startup files leave running, which goes on', async () => {
    write('.bash_profile', `(exec sleep 600) & echo $! > ${home}/pid`)
    const began = performance.now()
    expect(await read('/bin/bash')).toHaveProperty('env.PATH')
    expect(performance.now() - began).toBeLessThan(30_000)
    const pid = Number(readFileSync(join(home, 'pid'), 'utf8'))
    expect(isAlive(pid)).toBe(true)
    process.kill(pid, 'SIGKILL')
  })

  it('gets an empty input, so that a question in a startup file does not hang it', async () => {
    write('.bash_profile', 'read answer; export ANSWER="got:$answer"')
    expect(await read('/bin/bash')).toMatchObject({ env: { ANSWER: 'got:' } })
  })

  it('can tell that it is Trestle that asks', async () => {
    write('.bash_profile', '[ -n "$TRESTLE_RESOLVING_ENVIRONMENT" ] && export SEEN=1')
    expect(await read('/bin/bash')).toMatchObject({ env: { SEEN: '1' } })
  })

  it('keeps values with several lines', async () => {
    write('.bash_profile', `export LINES_OF_TEXT=$'one\\ntwo=2\\n'`)
    expect(await read('/bin/bash')).toMatchObject({ env: { LINES_OF_TEXT: 'one\ntwo=2\n' } })
    expect(await readLoginShell({ shell: '/bin/bash', env: bare(), cwd: home })).toMatchObject({
      env: { LINES_OF_TEXT: 'one\ntwo=2\n' },
    })
  })

  it('says what to do when it does not exist', async () => {
    expect(await read('/no/such/shell')).toMatchObject({
      problem: expect.stringContaining('The login shell /no/such/shell could not be started'),
      advice: expect.stringContaining('chsh'),
    })
  })

  it('says so when it empties PATH', async () => {
    write('.bash_profile', 'export PATH=')
    expect(await read('/bin/bash')).toMatchObject({ problem: expect.stringContaining('without a PATH') })
  })

  it('is given up when it prints without end', async () => {
    write('.bash_profile', 'yes')
    expect(await read('/bin/bash')).toMatchObject({ problem: expect.stringContaining('printed more than 4 MB') })
  })

  it.each([
    ['nu', ['-i', '-l', '-c'], "^'"],
    ['pwsh', ['-Login', '-Command'], "& '"],
    ['tcsh', ['-i', '-c'], "'"],
  ])('%s gets its own arguments, and a program is called as it calls one', async (name, args, call) => {
    const shell = join(home, name)
    // Stands for the shell: writes down what it was given, and prints what the program would.
    writeFileSync(
      shell,
      `#!/bin/bash\nprintf '%s\\n' "$@" > ${home}/args\n/bin/sh -c "$(sed 's/^\\^//; s/^& //; s/; .*//' <<< "\${@: -1}")"\n`,
    )
    chmodSync(shell, 0o755)
    expect(await read(shell)).toHaveProperty('env.PATH')
    const given = readFileSync(join(home, 'args'), 'utf8').split('\n')
    expect(given.slice(0, args.length)).toEqual(args)
    expect(given[args.length]).toMatch(new RegExp(`^${call.replace('^', '\\^')}`))
  })
})
