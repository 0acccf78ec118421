import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import type { RunningProcess, Starter } from '../../src/main/engine/task/running-process'
import { terminalStarter } from '../../src/main/engine/task/pty/start-in-terminal'
import { type Prompt, PromptWatch } from '../../src/main/engine/task/pty/prompt-watch'
import { foregroundState } from '../../src/main/engine/task/pty/terminal-reader'

interface Watched {
  output: string
  prompts: (Prompt | undefined)[]
  hasEnded: boolean
  process: RunningProcess
  watch: PromptWatch
}

let starter: Starter
const running: Watched[] = []
beforeAll(async () => {
  starter = await terminalStarter()
})
afterAll(async () => {
  for (const { watch } of running) watch.close()
  await Promise.all(running.map(({ process }) => process.stop(500)))
  for (const { process } of running) process.release()
  starter.close()
})

function run(command: string): Watched {
  const env = {
    PATH: process.env['PATH'] ?? '',
    HOME: '/nonexistent',
    TERM: 'xterm-256color',
    GIT_TERMINAL_PROMPT: '1',
    PS1: '$ ',
  }
  const watched = { output: '', prompts: [], hasEnded: false } as unknown as Watched
  watched.process = starter.start(
    { shell: '/bin/bash', command, cwd: '/', env, taskId: `bash-prompt${running.length}-${process.pid}` },
    {
      data: (bytes) => {
        watched.output += Buffer.from(bytes).toString()
        watched.watch.printed(bytes)
        return true
      },
      exit: () => (watched.hasEnded = true),
      end: () => {},
      error: (error) => (watched.output += error.message),
    },
  )
  watched.watch = new PromptWatch({ pid: () => watched.process.pid, changed: (prompt) => watched.prompts.push(prompt) })
  running.push(watched)
  return watched
}

const node = JSON.stringify(process.execPath)

describe.concurrent('waits for the user', () => {
  test.each([
    ['a shell that asks', `read -p 'Name: ' x </dev/tty`, 'Name:'],
    ['one that does not echo what is typed', `read -s -p 'Password: ' x </dev/tty`, 'Password:'],
    ['one with a time limit', `read -t 60 -p 'Continue [y/N]? ' x </dev/tty`, 'Continue [y/N]?'],
    ['a question that ends its line', `echo 'Press enter to continue'; read x </dev/tty`, 'Press enter to continue'],
    ['a question in colours, redrawn', `printf '...\\r\\033[1;32m?\\033[0m Really? '; read x </dev/tty`, '? Really?'],
    [
      'a program below other programs',
      `bash -c "sh -c 'printf \\"Code: \\"; head -n1 /dev/tty; true'; true"; true`,
      'Code:',
    ],
    ['an event loop', `${node} -e "process.stdout.write('Who? ');process.stdin.resume()" </dev/tty`, 'Who?'],
    ['a program that waits without a word', 'cat /dev/tty', ''],
    [
      'git',
      `printf 'protocol=https\\nhost=a.invalid\\n\\n' | git -c credential.helper= credential fill`,
      `Username for 'https://a.invalid':`,
    ],
  ])('%s', async (_name, command, text) => {
    const watched = run(command)
    await vi.waitFor(() => expect(watched.prompts.at(-1)?.text).toBe(text), { timeout: 60_000, interval: 20 })
  })

  test('until the prompt is answered, and again at the next one', async () => {
    const watched = run(`read -p 'One: ' x </dev/tty; sleep 1; read -p 'Two: ' y </dev/tty; echo "[$x$y]"`)
    await vi.waitFor(() => expect(watched.prompts.at(-1)?.text).toBe('One:'), { timeout: 60_000, interval: 20 })
    watched.process.write('a\r')
    watched.watch.typed()
    await vi.waitFor(() => expect(watched.prompts.at(-1)?.text).toMatch(/Two:$/), { timeout: 60_000, interval: 20 })
    expect(watched.prompts.map((prompt) => prompt !== undefined)).toEqual([true, false, true])
    watched.process.write('b\r')
    watched.watch.typed()
    await vi.waitFor(() => expect(watched.output).toContain('[ab]'), { timeout: 60_000 })
  })
})

describe.concurrent('does not wait for the user', () => {
  test.each([
    [
      'a server that left its line open',
      `${node} -e "require('net').createServer().listen(0,()=>process.stdout.write('Listening: '))"`,
    ],
    [
      'the same that got a copy of its terminal',
      `exec 3>&1 4<&1; ${node} -e "require('net').createServer().listen(0,()=>process.stdout.write('Ready? '))"`,
    ],
    ['a pause', `printf 'Password: '; exec sleep 100`],
    ['a progress bar', `printf '50%%'; while :; do sleep 0.2; printf .; done`],
    ['what follows a file', `printf x; tail -f /etc/hosts`],
    ['a program that waits for another', `printf 'Continue? '; sleep 100 | cat`],
    ['a reader in the background', `printf 'Name: '; set -m; cat /dev/tty & wait`],
  ])('%s', async (_name, command) => {
    const watched = run(command)
    await vi.waitFor(() => expect(watched.output).not.toBe(''), { timeout: 60_000, interval: 20 })
    for (let look = 0; look < 20; look++)
      expect(['no', 'unseen']).toContain((await foregroundState(watched.process.pid!)).readState)
    expect(watched.prompts).toEqual([])
  })

  test('a program that reads standard input, which is closed', async () => {
    const watched = run(`printf 'Name: '; cat; echo done`)
    await vi.waitFor(() => expect(watched.hasEnded).toBe(true), { timeout: 60_000 })
    expect(watched.output).toBe('Name: done\n')
    expect(watched.prompts).toEqual([])
  })
})
