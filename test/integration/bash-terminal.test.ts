import { execFileSync } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  statSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { commandEnv } from '../../src/main/engine/environment/command-env'
import { createTerminalTasks } from '../../src/main/engine/task/run/in-process-tasks'
import { pipeStarter } from '../../src/main/engine/task/start-in-pipes'
import type { TaskEnd, TaskStart, TerminalTasks } from '../../src/main/engine/task/task-supervisor'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import { limitNow } from '../support/machine-pace'

let dir: string
let tasks: TerminalTasks
beforeAll(() => {
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'trestle-bash-')))
  tasks = createTerminalTasks({
    outputDir: join(dir, 'tasks'),
    env: () => commandEnv({ ...process.env, OPENAI_API_KEY: 'sk-secret' }, DEFAULT_SETTINGS),
  })
})
afterAll(async () => {
  await tasks.close()
  rmSync(dir, { recursive: true, force: true })
})

const run = (command: string, more: Partial<TaskStart> = {}): Promise<TaskEnd> =>
  tasks.run({ command, cwd: dir, timeoutMs: 60_000, signal: new AbortController().signal, ...more }, 46_000)
const textOf = async (command: string, more: Partial<TaskStart> = {}): Promise<string> =>
  (await run(command, more)).text

function openFiles(): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) =>
    existsSync(`/proc/self/fd/${fd}`) ? [readlinkSync(`/proc/self/fd/${fd}`)] : [],
  )
}

function countChildren(): number {
  return Number(
    execFileSync('sh', ['-c', `ps --no-headers -o pid --ppid ${process.pid} | wc -l`], { encoding: 'utf8' }),
  )
}

describe('how a command ends', () => {
  test('success, failure, unknown commands, syntax errors and signals are distinguished', async () => {
    expect((await run('true')).task).toMatchObject({ status: 'completed', exitCode: 0, outputBytes: 0 })
    expect((await run('exit 7')).task).toMatchObject({ status: 'failed', exitCode: 7 })
    const unknown = await run('no_such_command_here')
    expect(unknown.task).toMatchObject({ status: 'failed', exitCode: 127 })
    expect(unknown.text).toContain('no_such_command_here: command not found')
    expect((await run('if then')).task).toMatchObject({ status: 'failed', exitCode: 2 })
    expect((await run('kill -9 $$')).task).toMatchObject({ status: 'failed', exitCode: 137 })
    expect((await run('kill -TERM $$; sleep 5')).task).toMatchObject({ status: 'failed', exitCode: 143 })
  })

  test('the record names the task, its process and its log', async () => {
    const { task } = await run('echo $$', { description: 'own pid' })
    expect(task.taskId).toMatch(/^bash-[0-9a-z]{8}$/)
    expect(task).toMatchObject({
      command: 'echo $$',
      description: 'own pid',
      cwd: dir,
      outputPath: join(dir, 'tasks', `${task.taskId}.log`),
    })
    expect(readFileSync(task.outputPath, 'utf8')).toBe(`${task.pid}\n`)
    expect(task.endedAt).toBeGreaterThanOrEqual(task.startedAt)
  })

  test('a missing folder is a coded error, not a hang', async () => {
    await expect(run('true', { cwd: join(dir, 'gone') })).rejects.toMatchObject({ code: 'ENOENT' })
    expect((await run('true')).task.exitCode).toBe(0)
  })
})

describe('the environment of a program', () => {
  test('standard input is closed', async () => {
    expect((await run('cat; echo end')).text).toBe('end\n')
    expect((await run('read x')).task.exitCode).toBe(1)
  })

  test('output is a terminal, input is not, and /dev/tty can be opened', async () => {
    expect(await textOf('test -t 0 && echo in; test -t 1 && echo out; test -t 2 && echo err; tty </dev/tty')).toBe(
      'out\nerr\n/dev/tty\n',
    )
  })

  test('the command is the foreground process of the terminal: a prompt can be read and does not stop it', async () => {
    expect(
      await textOf(`stty -echo </dev/tty && ps -o stat= -p $$ | tr -d ' \\n' && ps -o tpgid= -o pgid= -p $$`),
    ).toMatch(/\+\s*(\d+)\s+\1\n$/)
  })

  test('it is wide enough for tables', async () => {
    expect(await textOf('stty size </dev/tty')).toBe('50 200\n')
  })

  test('it contains the task tag, no API keys, and no open file of ours', async () => {
    const other = run('sleep 0.5')
    const { text, task } = await run(
      'echo "${OPENAI_API_KEY:-none} $TRESTLE_TASK"; ls -l /proc/$$/fd | grep -c ptmx; trap',
    )
    expect(text).toBe(`none ${task.taskId}\n0\n`)
    await other
  })

  test('no signal is ignored, so a program can be stopped', async () => {
    expect(await textOf('grep -h SigIgn /proc/self/status')).toMatch(/SigIgn:\s+0+\n/)
  })

  test('a folder may contain spaces, quotes and Unicode', async () => {
    const cwd = join(dir, `zażółć "q" 'p' $x 漢 🎉`)
    mkdirSync(cwd)
    expect(await textOf('pwd', { cwd })).toBe(`${cwd}\n`)
  })

  test('the command is passed verbatim: quotes, lines, here-documents, leading dashes', async () => {
    expect(await textOf(`cat <<'EOF'\n$HOME "a" 'b' \\\n\\n\nEOF\necho "x  y"; echo 'it'"'"'s'`)).toBe(
      `$HOME "a" 'b' \\\n\\n\nx  y\nit's\n`,
    )
    expect((await run('-x')).task.exitCode).toBe(127)
    expect(await textOf('echo $#; shopt -q login_shell || echo plain; [[ $- == *i* ]] || echo batch')).toBe(
      '0\nplain\nbatch\n',
    )
    expect(await textOf('a=(1 2 3); [[ ${a[2]} == 3 ]] && echo bash')).toBe('bash\n')
  })
})

describe('output', () => {
  test('keeps both streams in the order they were written', async () => {
    expect(await textOf('for i in 1 2 3; do echo o$i; echo e$i >&2; done')).toBe('o1\ne1\no2\ne2\no3\ne3\n')
  })

  test('is plain text for the model, and has colors in the log and the pane', async () => {
    const shown: string[] = []
    const end = await run(`printf '\\033[31mred\\033[0m\\n 50%%\\r100%%\\n'; sleep 0.2`, {
      onOutput: (raw) => shown.push(raw),
    })
    expect(end.text).toBe('red\n100%\n')
    expect(readFileSync(end.task.outputPath, 'utf8')).toBe('\x1b[31mred\x1b[0m\n 50%\r100%\n')
    expect(shown.join('')).toBe('\x1b[31mred\x1b[0m\n 50%\r100%\n')
  })

  test('is read whole when codes and characters are split by slow printing', async () => {
    expect(
      await textOf(
        `printf '\\033'; sleep 0.05; printf '[3'; sleep 0.05; printf '1mr\\305'; sleep 0.05; printf '\\274\\033[0m'`,
      ),
    ).toBe('rż')
  })

  test('may contain invalid UTF-8 and NULs', async () => {
    expect(await textOf(`printf 'a\\377\\000b\\n'`)).toBe('a\ufffdb\n')
  })

  test('just before the exit is never lost', async () => {
    for (let round = 0; round < 30; round++) expect((await run('seq 2000')).text.endsWith('\n1999\n2000\n')).toBe(true)
  })

  test('of one huge line keeps its start and end, and names the log', async () => {
    const end = await run(`head -c 3000000 /dev/zero | tr '\\0' x; echo END`)
    expect(end.text).toMatch(/^x+\n\[\.\.\. most of 3000004 bytes left out\. All of it: .*\.log \.\.\.\]\nx+END\n$/)
    expect(end.text.length).toBeLessThan(47_000)
    expect(end).toMatchObject({ truncated: true })
    expect(statSync(end.task.outputPath).size).toBe(3_000_004)
  })

  test('continues when the log cannot be written, and says so', async () => {
    const blocked = createTerminalTasks({
      outputDir: '/dev/null/tasks',
      env: () => commandEnv(process.env, DEFAULT_SETTINGS),
    })
    const end = await blocked.run(
      { command: 'echo hi', cwd: dir, timeoutMs: null, signal: new AbortController().signal },
      1_000,
    )
    expect(end).toMatchObject({ text: 'hi\n', task: { status: 'completed' } })
    expect(end.notes).toEqual([expect.stringContaining('could not be saved')])
    await blocked.close()
  })
})

/** How long it takes to pipe 50 MB from a program, in ms. */
function pipedMs(source: string): number {
  const started = performance.now()
  execFileSync('bash', ['-c', `${source} | head -c 50000000 | cat >/dev/null`], { stdio: 'ignore' })
  return performance.now() - started
}

describe('cost', () => {
  test.each(['yes', 'seq 100000000', 'cat /dev/zero'])(
    '50 MB from %s are passed quickly, in bounded memory, and are all in the log',
    async (source) => {
      const before = process.memoryUsage().rss
      let [fastest, limit] = [Infinity, 5_500]
      // About 600 ms on two quiet cores; a terminal that translates line ends needs more than 6 s for `yes`, 30 times
      // as long as a pipe. If that is exceeded, the time of a pipe shows how busy the machine is.
      for (let round = 0; round < 3 && fastest > limit; round++) {
        if (round > 0) limit = Math.max(limit, 15 * pipedMs(source))
        const end = await run(`${source} | head -c 50000000`)
        expect(end.task).toMatchObject({ status: 'completed', outputBytes: 50_000_000 })
        expect(statSync(end.task.outputPath).size).toBe(50_000_000)
        fastest = Math.min(fastest, end.durationMs)
        rmSync(end.task.outputPath)
      }
      expect(fastest).toBeLessThan(limit)
      expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000)
    },
  )

  test('200 commands leave no open file, terminal or process behind', async () => {
    await run('true')
    const [filesBefore, childrenBefore] = [openFiles().length, countChildren()]
    const took: number[] = []
    for (let round = 0; round < 200; round++) {
      const started = performance.now()
      await run('echo hi')
      took.push(performance.now() - started)
    }
    // The fastest tenth, so that other work on the machine does not count.
    expect(took.toSorted((a, b) => a - b)[20]).toBeLessThan(limitNow(150))
    expect(openFiles().length).toBeLessThanOrEqual(filesBefore)
    expect(openFiles().filter((path) => path.includes('ptmx') || path.includes('/pts/'))).toEqual([])
    expect(countChildren()).toBeLessThanOrEqual(childrenBefore)
  })

  test('20 concurrent commands each end with their own output', async () => {
    const ends = await Promise.all(Array.from({ length: 20 }, (_, index) => run(`echo ${index}; exit ${index}`)))
    expect(ends.map(({ text, task }) => [text, task.exitCode])).toEqual(
      Array.from({ length: 20 }, (_, index) => [`${index}\n`, index]),
    )
  })
})

test('commands run in pipes when no terminal is available, and say so', async () => {
  const piped = createTerminalTasks({
    outputDir: join(dir, 'piped'),
    env: () => commandEnv(process.env, DEFAULT_SETTINGS),
    starter: async () => ({ starter: pipeStarter, note: 'No terminal.' }),
    graceMs: 300,
  })
  const go = (command: string, timeoutMs = 10_000): Promise<TaskEnd> =>
    piped.run({ command, cwd: dir, timeoutMs, signal: new AbortController().signal }, 1_000)
  const end = await go('echo a; echo b >&2; cat; test -t 1 || echo none; exit 3')
  expect(end).toMatchObject({ text: 'a\nb\nnone\n', task: { status: 'failed', exitCode: 3 }, notes: ['No terminal.'] })
  expect((await go(`trap '' TERM; sleep 60`, 200)).task).toMatchObject({ status: 'timed_out' })
  await expect(
    piped.run({ command: 'true', cwd: '/gone', timeoutMs: null, signal: new AbortController().signal }, 1_000),
  ).rejects.toMatchObject({ code: 'ENOENT' })
  await piped.close()
})
