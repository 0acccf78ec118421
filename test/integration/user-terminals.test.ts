import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { CodedError } from '../../src/shared/errors'
import { DEFAULT_SETTINGS } from '../../src/main/engine/config/settings/settings'
import { commandEnv, userEnv } from '../../src/main/engine/environment/command-env'
import type { TerminalSize } from '../../src/shared/model/task/terminal'
import { TerminalClient } from '../../src/main/engine/terminal/terminal-client'
import { endHosts, hostPids, openSupervisor, sourceTaskHost } from '../support/source-task-host'
import { until } from '../support/until'

const SESSION = 'session-1'
let home: string
let clients: TerminalClient[]

beforeEach(() => {
  home = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-test-'))
  mkdirSync(join(home, 'project'))
  clients = []
})

afterEach(async () => {
  await Promise.all(clients.map((client) => client.close()))
  await endHosts(home)
  rmSync(home, { recursive: true, force: true })
})

function connect(extra: NodeJS.ProcessEnv = {}): TerminalClient {
  const base = { ...process.env, PS1: '$ ', ...extra }
  const client = new TerminalClient({
    home,
    program: sourceTaskHost,
    hostEnv: () => commandEnv(base, DEFAULT_SETTINGS),
    shell: async () => ({ shell: '/bin/bash', args: ['--norc', '--noprofile'], env: userEnv(base, DEFAULT_SETTINGS) }),
    folderOf: () => join(home, 'project'),
    now: Date.now,
    onChange: () => undefined,
  })
  clients.push(client)
  return client
}

/** Everything sent to a viewer, and how it ended. */
function look(client: TerminalClient, terminalId: string) {
  const seen: { text: string; starts: number; sizes: TerminalSize[]; status?: string; failure?: CodedError } = {
    text: '',
    starts: 0,
    sizes: [],
  }
  const stop = client.view(terminalId, {
    push(push) {
      if (push.type === 'start') [seen.text, seen.starts, seen.sizes] = [push.text, seen.starts + 1, push.sizes ?? []]
      else if (push.type === 'output') seen.text += push.text
      if (push.type !== 'output') seen.status = push.terminal.status
    },
    end: (error) => (seen.failure = error),
  })
  return { seen, stop, shows: (words: string | RegExp) => until(() => seen.text.match(words) !== null, String(words)) }
}

describe("the user's terminals", () => {
  it('run the shell in the folder of the session, with the size of the view and the secrets of the user', async () => {
    const client = connect({ GITHUB_TOKEN: 'ghp_mine', OPENAI_API_KEY: 'sk-hidden', PAGER: 'less' })
    const { terminalId } = await client.open(SESSION, 90, 30)
    const { shows } = look(client, terminalId)
    await client.input(terminalId, 'echo "$PWD|$(stty size)|$GITHUB_TOKEN|$OPENAI_API_KEY|$PAGER|$TRESTLE_TASK"\r')
    await shows(`${join(home, 'project')}|30 90|ghp_mine||less|`)
    await client.resize(terminalId, 120, 40)
    await client.input(terminalId, 'stty size\r')
    await shows('40 120')
    expect(await client.list()).toMatchObject([{ terminalId, cwd: join(home, 'project'), isWatched: false }])
  })

  it('send later viewers the terminal size for each part of the output', async () => {
    const client = connect()
    const { terminalId } = await client.open(SESSION, 90, 30)
    const { shows, stop } = look(client, terminalId)
    await client.input(terminalId, 'echo "first-$((1 + 1))-é"\r')
    await shows('first-2-é')
    await client.resize(terminalId, 120, 40)
    await client.resize(terminalId, 60, 20)
    await client.input(terminalId, 'echo "second-$((1 + 1))"\r')
    await shows('second-2')
    stop()
    const { seen, shows: showsLater } = look(client, terminalId)
    await showsLater('second-2')
    const [begin, ...later] = seen.sizes
    expect(begin).toEqual({ at: 0, cols: 90, rows: 30 })
    const { at, ...last } = later.at(-1)!
    expect(last).toEqual({ cols: 60, rows: 20 })
    expect(at).toBeGreaterThanOrEqual(seen.text.indexOf('first-2-é') + 'first-2-é'.length)
    expect(at).toBeLessThan(seen.text.indexOf('second-2'))
  })

  it('survive the client, and show earlier output to the next one', async () => {
    const first = connect()
    const { terminalId } = await first.open(SESSION, 80, 24)
    const before = look(first, terminalId)
    await first.input(terminalId, 'MARK=kept; printf "one-%s\\n" two\r')
    await before.shows('one-two')
    await first.close()
    const second = connect()
    expect(await second.list()).toMatchObject([{ terminalId, status: 'running', sessionId: SESSION }])
    const after = look(second, terminalId)
    await after.shows('one-two')
    await second.input(terminalId, 'echo "still $MARK"\r')
    await after.shows('still kept')
  })

  it('report how the shell ended, and start it again', async () => {
    const client = connect()
    const { terminalId } = await client.open(SESSION, 80, 24)
    const { seen } = look(client, terminalId)
    await client.input(terminalId, 'exit 3\r')
    await until(() => seen.status === 'ended', 'the end of the shell')
    await expect.poll(() => client.list()).toMatchObject([{ status: 'ended', exit: { code: 3 } }])
    await expect(client.input(terminalId, 'x')).rejects.toMatchObject({ code: 'terminal.not_found' })
    await client.restart(terminalId)
    await until(() => seen.status === 'running', 'the new shell')
    await client.input(terminalId, 'exit\r')
    await until(() => seen.status === 'ended', 'the end of the new shell')
  })

  it('end when they are closed, with their programs and for all viewers', async () => {
    const client = connect()
    const other = connect()
    const { terminalId } = await client.open(SESSION, 80, 24)
    await other.list()
    const { seen, shows } = look(other, terminalId)
    await client.input(terminalId, 'sh -c \'echo "pid-$$-"; exec sleep 1000\'\r')
    await shows(/pid-\d+-/)
    const pid = Number(/pid-(\d+)-/.exec(seen.text)![1])
    await client.remove(terminalId)
    await until(() => seen.failure?.code === 'terminal.not_found', 'the end of the view')
    await until(() => !isThere(pid), 'the end of the program')
    expect(await client.list()).toEqual([])
    await expect(client.remove(terminalId)).rejects.toMatchObject({ code: 'terminal.not_found' })
  })

  it('are not tasks, and keep the host alive on their own', async () => {
    const client = connect()
    const { terminalId } = await client.open(SESSION, 80, 24)
    const supervisor = openSupervisor(home)
    try {
      expect(await supervisor.list({})).toEqual([])
    } finally {
      await supervisor.close()
    }
    expect(hostPids(home)).toHaveLength(1)
    await client.remove(terminalId)
  })

  it('take their title from the program, and answer the shell that asks for the terminal once', async () => {
    const client = connect()
    const { terminalId } = await client.open(SESSION, 80, 24)
    const views = [look(client, terminalId), look(client, terminalId)]
    await client.input(terminalId, 'printf "\\033]2;my build\\007"\r')
    await expect.poll(() => client.list()).toMatchObject([{ title: 'my build' }])
    await client.input(
      terminalId,
      'IFS= read -rs -d c -p "$(printf "\\033[c")" answer; printf "got %q end\\n" "$answer"\r',
    )
    for (const { shows } of views) await shows(/got \$'\\E\[\?62;22' end/)
  })
})

describe('a terminal that the agent may watch', () => {
  it('shows the agent of its session the screen only while allowed, without hidden input', async () => {
    const client = connect()
    const { terminalId } = await client.open(SESSION, 80, 24)
    const { shows } = look(client, terminalId)
    await client.input(terminalId, 'read -rsp "Password: " secret; echo; echo "length ${#secret}"\r')
    await shows(/\rPassword: /)
    await client.input(terminalId, 'hunter22\r')
    await shows('length 8')
    expect(await client.screen(terminalId, SESSION)).toBeUndefined()
    await client.letWatch(terminalId, true)
    const text = await client.screen(terminalId, SESSION)
    expect(text).toContain('length 8')
    expect(text).not.toContain('hunter22')
    expect(text).not.toContain('\u001b')
    expect(await client.screen(terminalId, 'another-session')).toBeUndefined()
    await until(() => client.watchedIn(SESSION).length === 1, 'the mark')
    await client.letWatch(terminalId, false)
    expect(await client.screen(terminalId, SESSION)).toBeUndefined()
  })
})

describe('much output', () => {
  it('reaches a viewer completely, in order, with bounded memory', async () => {
    const client = connect()
    const { terminalId } = await client.open(SESSION, 80, 24)
    const { seen, shows } = look(client, terminalId)
    await client.input(terminalId, 'seq 1 300000; echo the-"end"\r')
    await shows('the-end')
    expect(seen.text).toMatch(/299999\r\n300000\r\n/)
    const again = look(client, terminalId)
    await again.shows('the-end')
    expect(again.seen.text.length).toBeLessThan(300_000)
  })
})

function isThere(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}
