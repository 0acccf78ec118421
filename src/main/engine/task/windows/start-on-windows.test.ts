import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import type { ProcessStart, RunningProcess, Starter } from '../running-process'
import { startInConpty, type SpawnTerminal } from './start-in-conpty'
import { startInWindowsPipes, windowsStarter } from './start-on-windows'
import type { ExitStatus } from '../../process/shell-process'

const NO_EVENTS = { data: () => true, exit() {}, end() {}, error() {} }

/** Runs a command with the Windows pipe starter, in this machine's bash. */
async function run(command: string, env: Record<string, string> = { PATH: process.env['PATH'] ?? '' }) {
  const chunks: Buffer[] = []
  const done = Promise.withResolvers<ExitStatus>()
  const over = Promise.withResolvers<void>()
  const start: ProcessStart = {
    shell: '/bin/bash',
    command,
    cwd: await tempFolder(),
    env,
    taskId: `bash-${Math.random().toString(36).slice(2)}`,
  }
  const running = startInWindowsPipes(start, {
    data: (bytes) => Boolean(chunks.push(Buffer.from(bytes))),
    exit: done.resolve,
    end: over.resolve,
    error: done.reject,
  })
  return { running, start, exited: done.promise, ended: over.promise, text: () => Buffer.concat(chunks).toString() }
}

describe('a foreground command on Windows', () => {
  it('can be longer than a command line, and its output is passed on unchanged and in order', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => `line ${n} \\ "quoted" 'single' $not`).join('\n')
    const { exited, ended, text } = await run(
      `cat <<'END'\n${lines}\nEND\necho out; echo err >&2; printf 'a\\rb\\tc\\033[1mx'; exit 7`,
    )
    expect(await exited).toEqual({ exitCode: 7 })
    await ended
    expect(text()).toBe(`${lines}\nout\nerr\na\rb\tc\u001b[1mx`)
  })

  it.each([
    ['cat; echo "[$?]"', '[0]\n'],
    ['echo "${trestle_c-unset} $TERM"', 'unset dumb\n'],
    ['# a comment first\necho $((1+1))', '2\n'],
    ['echo "a\n"', 'a\n\n'],
    ['echo x > nul; ls', ''],
  ])('has empty standard input and none of our variables: %j', async (command, printed) => {
    const { exited, ended, text } = await run(command)
    await exited
    await ended
    expect(text()).toBe(printed)
  })

  it('finds the programs of Git Bash when the bash in usr\\bin was started without them', async () => {
    const { ended, text } = await run('echo "$PATH"', { PATH: '/nowhere' })
    await ended
    expect(text()).toBe('/usr/local/bin:/usr/bin:/bin:/mingw64/bin:/nowhere\n')
  })

  it.runIf(process.platform === 'linux')(
    'is stopped with everything it started, and the result lists what it left running',
    async () => {
      const { running, ended, text } = await run('sleep 600 & sleep 601 & echo started; wait')
      await expect.poll(text).toBe('started\n')
      await running.stop(5_000)
      await ended
      expect(await running.leftRunning()).toEqual([])
    },
  )
})

describe('how a command runs on Windows', () => {
  const called: string[] = []
  const way = (name: string): Starter => ({
    start: () => (called.push(name), {} as RunningProcess),
    warm() {},
    close() {},
  })
  const start: ProcessStart = { shell: 'bash', command: 'x', cwd: '/', env: {}, taskId: 't' }

  it.each([
    [false, 'x', true, 'pipes'],
    [true, 'x', true, 'console'],
    [true, 'x', false, 'pipes'],
    [true, '"'.repeat(16_000), true, 'pipes'],
  ])(
    'runs in a console only in the background, if it fits and there is one (background: %j, case %#)',
    async (background, command, hasConsole, expected) => {
      const starter = await windowsStarter({
        console: hasConsole ? async () => way('console') : () => Promise.reject(new Error('no ConPTY')),
        pipes: way('pipes').start,
      })
      called.length = 0
      starter.start({ ...start, command, background }, NO_EVENTS)
      expect(called).toEqual([expected])
    },
  )

  it('in a console, a stop sends Ctrl-C first', async () => {
    const typed: string[] = []
    let exit: ((status: { exitCode: number }) => void) | undefined
    const spawn: SpawnTerminal = () => ({
      // No process has this pid.
      pid: 2 ** 30,
      write(text) {
        typed.push(String(text))
        exit?.({ exitCode: 130 })
      },
      kill: () => typed.push('killed'),
      pause() {},
      resume() {},
      onData: () => ({ dispose() {} }),
      onExit: (listener) => ((exit = listener), { dispose() {} }),
    })
    const ended = Promise.withResolvers<ExitStatus>()
    const running = startInConpty(spawn, start, { ...NO_EVENTS, exit: ended.resolve })
    await running.stop(60_000)
    expect([typed, await ended.promise]).toEqual([['\x03'], { exitCode: 130 }])
  })
})
