import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { startChat, type ChatTerminal } from '../support/chat-terminal'
import type { ModelScript, ScriptStep } from '../support/model-script'
import { startModelServer, type ModelServer } from '../support/model-server'
import { runCli } from '../support/run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
let server: ModelServer
let chat: ChatTerminal | undefined

async function prepare(script: ModelScript): Promise<void> {
  scratch = createScratch({ 'notes.md': 'one\ntwo\n' })
  server = await startModelServer({ script })
  writeConfig(scratch.home, configFor(server.baseUrl))
}

async function start(
  script: ModelScript,
  { args = [], ...more }: { args?: string[]; env?: Record<string, string>; columns?: number } = {},
): Promise<ChatTerminal> {
  await prepare(script)
  return open(args, more)
}

async function open(
  args: string[] = [],
  more: { env?: Record<string, string>; columns?: number } = {},
): Promise<ChatTerminal> {
  const opened = startChat(['--cwd', scratch.project, ...args], { home: scratch.home, ...more })
  chat = opened
  await opened.shows('›')
  return opened
}

afterEach(async () => {
  chat?.kill()
  await chat?.ended
  chat = undefined
  await server.close()
  scratch.remove()
})

const call = (name: string, input: Record<string, unknown>, text = ''): ScriptStep => ({
  text,
  toolCalls: [{ name, input }],
})
const made = (name: string): boolean => existsSync(join(scratch.project, name))
const sent = (index: number): string => JSON.stringify(server.requests[index]!.body['messages'])
/** How often a text is on the screen. */
const count = (what: string): number => chat!.screen().split(what).length - 1

async function quit(terminal: ChatTerminal): Promise<void> {
  terminal.type('\x04')
  expect(await terminal.ended).toEqual({ code: 0 })
}

describe('trestle chat in a terminal', () => {
  test('streams an answer, shows an edit before asking for approval, and lets a rejection give a reason', async () => {
    const terminal = await start([
      { thinking: 'let me see', ...call('Read', { path: 'notes.md' }) },
      call('Edit', { path: 'notes.md', old_string: 'two', new_string: 'zwei 二' }, 'I change it.'),
      call('Bash', { command: 'touch made' }),
      { text: 'All done.' },
    ])
    terminal.type('translate\r')
    await terminal.shows('Allow?')
    expect(terminal.screen()).toMatch(
      /let me see\n● Read notes\.md {2}✓ .*\nI change it\.\n\? Edit\n[\s\S]*-two\n\s+\+zwei 二\n[\s\S]*1 {2}Allow once/,
    )
    expect(terminal.raw()).toContain('\x1b[2mlet me\x1b[22m')
    expect(readFileSync(join(scratch.project, 'notes.md'), 'utf8')).toBe('one\ntwo\n')
    terminal.type('1')
    await terminal.shows(/touch made[\s\S]*Allow\?/)
    expect(readFileSync(join(scratch.project, 'notes.md'), 'utf8')).toBe('one\nzwei 二\n')
    terminal.type('0')
    await terminal.shows('Why?')
    terminal.type('better not\r')
    await terminal.shows(/All done\.\n4 steps/)
    expect(made('made')).toBe(false)
    expect(sent(3)).toContain('better not')
    await quit(terminal)
    // The terminal is restored: none of our modes is still on.
    expect(terminal.raw().lastIndexOf('\x1b[?2004l')).toBeGreaterThan(terminal.raw().lastIndexOf('\x1b[?2004h'))
    expect(terminal.screen()).toMatch(/Continue later with: trestle chat --session session-\w+$/)
  })

  test('type-ahead does not approve a request that appears in the meantime', async () => {
    const terminal = await start([
      { ...call('Bash', { command: 'touch made' }), faults: { delayMs: 400 } },
      { text: 'Done.' },
    ])
    terminal.type('go\r')
    await server.arrived(1)
    // A digit that was meant for a message starts a separate line, and the question waits until that is finished.
    terminal.type('1')
    await terminal.shows(/› 1$/)
    terminal.type('\x03')
    await terminal.shows('0  Reject')
    // A digit pressed just after the question has appeared.
    terminal.type('1')
    terminal.type('1')
    await terminal.shows('Allow?')
    expect(made('made')).toBe(false)
    terminal.type('1')
    await terminal.shows('Done.')
    expect(made('made')).toBe(true)
    await quit(terminal)
  })

  test('a word typed at a question does not choose by one of its letters or digits', async () => {
    const terminal = await start([call('Bash', { command: 'touch made' }), { text: 'Done.' }])
    terminal.type('go\r')
    await terminal.shows('Allow?')
    terminal.type('x1')
    await until(() => count('Allow?') === 0, 'the question to step back')
    await terminal.shows('Allow?')
    expect(made('made')).toBe(false)
    terminal.type('1')
    await terminal.shows('Done.')
    await quit(terminal)
  })

  test('"always" allows only what was shown, and does not ask again', async () => {
    const terminal = await start([
      call('Bash', { command: 'touch made' }),
      call('Bash', { command: 'touch made' }),
      { text: 'Done.' },
    ])
    terminal.type('go\r')
    await terminal.shows('Allow?')
    terminal.type('2')
    await terminal.shows('Which rule?')
    expect(terminal.screen()).toMatch(/What should be allowed without asking in this session\?\n {2}1 {2}Bash\(touch/)
    terminal.type('0')
    await until(() => count('Allow?') === 2, 'the options again')
    terminal.type('2')
    await until(() => count('Which rule?') === 2, 'the rules again')
    terminal.type('1')
    await terminal.shows('Done.')
    expect(count('Allow?')).toBe(2)
    expect(made('made')).toBe(true)
    await quit(terminal)
  })

  test('Ctrl-C stops a running turn and leaves an idle chat', async () => {
    const terminal = await start([
      { text: 'on and on '.repeat(200), faults: { stallAfterBytes: 4000 } },
      { text: 'Still here.' },
    ])
    terminal.type('go\r')
    await terminal.shows('on and on')
    terminal.type('\x03')
    await terminal.shows(/Stopped\.\n.* · Ask first\n›/)
    terminal.type('and now?\r')
    await terminal.shows('Still here.')
    await terminal.shows(/step, .*\n.* · Ask first.*\n›/)
    terminal.type('half a line\x03')
    await terminal.shows(/half a line\n›/)
    terminal.type('\x03')
    await terminal.shows('again to leave')
    terminal.type('\x03')
    expect(await terminal.ended).toEqual({ code: 0 })
  })

  test('a session that another chat had open becomes usable when that chat ends', async () => {
    const first = await start([{ text: 'Good morning.' }, { text: 'Now it is yours.' }])
    first.type('hello\r')
    await first.shows('Good morning.')
    const second = await open(['--continue'])
    try {
      second.type('mine?\r')
      await second.shows('This session is open in another Trestle')
      first.kill()
      await first.ended
      second.type('and now?\r')
      await second.shows('Now it is yours.')
      expect(server.requests).toHaveLength(2)
    } finally {
      first.kill()
    }
  })

  test('Ctrl-Z without a shell to take over (ssh -t host trestle chat) leaves the terminal responsive', async () => {
    const terminal = await start([call('Bash', { command: 'touch made' }), { text: 'Done.' }])
    const prepared = (): number => terminal.raw().split('\x1b[?2004h').length
    const suspended = async (): Promise<void> => {
      const before = prepared()
      terminal.type('\x1a')
      await until(() => prepared() > before, 'the terminal to be taken again')
    }
    await suspended()
    terminal.type('go\r')
    await terminal.shows('Allow?')
    const asked = (): number => terminal.raw().split('Allow?').length
    const before = asked()
    await suspended()
    await until(() => asked() > before, 'the question to count keys again')
    terminal.type('1')
    await terminal.shows('Done.')
    expect(made('made')).toBe(true)
  })

  test('a message typed while the agent works is neither lost nor broken up by output', async () => {
    const terminal = await start([
      { text: 'First answer. '.repeat(20), faults: { eventDelayMs: 30 } },
      { text: 'Second answer.' },
    ])
    terminal.type('one\r')
    await terminal.shows('First')
    terminal.type('two')
    await terminal.shows(/› two$/)
    terminal.type(' more\r')
    await terminal.shows('Second answer.')
    expect(sent(1)).toContain('two more')
    expect(terminal.screen().replaceAll(/\s+/g, ' ')).toContain('First answer. First answer.')
    await quit(terminal)
  })

  test('losing the connection in the middle of a turn ends the program and the turn', async () => {
    const terminal = await start(() => ({ text: 'on and on '.repeat(200), faults: { stallAfterBytes: 4000 } }))
    terminal.type('go\r')
    await terminal.shows('on and on')
    terminal.kill('SIGHUP')
    await terminal.ended
    const [session] = JSON.parse((await runCli(['session', 'list', '--json'], { home: scratch.home })).stdout) as {
      sessionId: string
    }[]
    const log = await runCli(['session', 'export', session!.sessionId, '--json'], { home: scratch.home })
    expect(log.stdout.trim().split('\n').at(-1)).toMatch(/"type":"turn.finished".*"stop":"cancelled"/)
  })

  test('losing the connection at a question ends the program and keeps the question', async () => {
    let terminal = await start([call('Bash', { command: 'touch made' }), { text: 'Done.' }])
    terminal.type('go\r')
    await terminal.shows('Allow?')
    terminal.kill('SIGHUP')
    await terminal.ended
    terminal = await open(['--continue'])
    await terminal.shows('Allow?')
    expect(made('made')).toBe(false)
    terminal.type('1')
    await terminal.shows('Done.')
    expect(made('made')).toBe(true)
    await quit(terminal)
  })

  test('pasted text of several lines is sent as one message', async () => {
    const terminal = await start([{ text: 'Read.' }])
    terminal.type('\x1b[200~one\rtwo\r\x1b[201~')
    await terminal.shows('one⏎two⏎')
    expect(server.requests).toHaveLength(0)
    terminal.type('three\r')
    await terminal.shows('Read.')
    expect(sent(0)).toContain('one\\ntwo\\nthree')
    await quit(terminal)
  })

  test('a custom answer to a question, or several answers, reaches the agent', async () => {
    const options = [
      { label: 'Red', description: 'warm' },
      { label: 'Blue', description: '' },
    ]
    const terminal = await start([
      call('AskUserQuestion', {
        questions: [
          { question: 'Which colour?', options },
          { question: 'Which do you like?', options, multi_select: true },
        ],
      }),
      { text: 'Thanks.' },
    ])
    terminal.type('go\r')
    await terminal.shows('Answer?')
    expect(terminal.screen()).toMatch(
      /\? Which colour\? \(1 of 2\)\n {2}1 {2}Red {2}warm\n {2}2 {2}Blue\n {2}3 {2}Other…/,
    )
    terminal.type('3')
    await terminal.shows('In your own words')
    terminal.type('green\r')
    await terminal.shows('Answers?')
    terminal.type('1')
    await until(() => count('Answers?') === 2, 'the choice')
    terminal.type('2')
    await until(() => count('Answers?') === 3, 'the other choice')
    terminal.type('s')
    await terminal.shows('Thanks.')
    expect(sent(1)).toContain(
      JSON.stringify(
        JSON.stringify({ answers: { 'Which colour?': 'green', 'Which do you like?': ['Red', 'Blue'] } }),
      ).slice(1, -1),
    )
    await quit(terminal)
  })

  test('a plan can be sent back with changes, and the chosen alternative is kept', async () => {
    const plan = (body: Record<string, unknown>): string =>
      JSON.stringify(body)
        .match(/\/[^\s"\\`]+\/plan-\d+\.md/g)
        ?.at(-1) ?? ''
    const ways = [
      { label: 'Small', description: 'a little' },
      { label: 'Large', description: 'a lot' },
    ]
    const steps: ((path: string) => ScriptStep)[] = [
      () => call('EnterPlanMode', {}),
      (path) => call('Write', { path, content: '# Plan\n\n1. one\n' }),
      () => call('ExitPlanMode', { options: ways }),
      (path) => call('Write', { path, content: '# Plan\n\n1. one\n2. two\n' }),
      () => call('ExitPlanMode', { options: ways }),
      () => ({ text: 'Off I go.' }),
    ]
    const terminal = await start(({ body }, index) => steps[index]?.(plan(body)))
    terminal.type('plan it\r')
    await terminal.shows('The plan?')
    expect(terminal.screen()).toMatch(
      /\? Plan\n[\s\S]*1\. one\n[\s\S]*1 {2}Approve: Small {2}a little\n {2}2 {2}Approve: Large/,
    )
    terminal.type('9')
    await terminal.shows('What should change?')
    terminal.type('one more, please\r')
    await terminal.shows(/Plan, revision 2[\s\S]*The plan\?/)
    terminal.type('2')
    await terminal.shows('Off I go.')
    expect(sent(3)).toContain('one more, please')
    expect(sent(5)).toContain('Large')
    await quit(terminal)
  })

  test('a session can be resumed, and /undo reverts what it showed', async () => {
    const write = call('Write', { path: 'new.txt', content: 'x' })
    let terminal = await start([write, { text: 'It is written.' }, { text: 'Of course.' }], {
      args: ['--permission-mode', 'accept-edits'],
    })
    terminal.type('write it\r')
    await terminal.shows(/It is written\.\n2 steps/)
    await quit(terminal)
    terminal = await open(['--continue'])
    await terminal.shows(/Continuing[\s\S]*› write it[\s\S]*It is written\./)
    terminal.type('do you remember?\r')
    await terminal.shows('Of course.')
    expect(sent(2)).toContain('write it')
    terminal.type('/undo 1\r')
    await terminal.shows('Take back?')
    expect(terminal.screen()).toMatch(/- \S*new\.txt\n\s+2 of your messages leave the conversation/)
    terminal.type('1')
    await terminal.shows(/Done\. \/redo reverses it\.\n\S* ?› write it$/)
    expect(made('new.txt')).toBe(false)
    terminal.type('\x15/redo\r')
    await until(() => made('new.txt'), 'the file again')
    await quit(terminal)
  })

  test('escape codes in completed file names and in earlier messages do not reach the terminal', async () => {
    await prepare([{ text: 'Noted.' }])
    const evil = '\x1b]52;c;aGFja2Vk\x07'
    for (const name of [`evil${evil}.txt`, 'evident.txt']) writeFileSync(join(scratch.project, name), '')
    const { code } = await runCli(['print', `remember ${evil}`, '--cwd', scratch.project], { home: scratch.home })
    expect(code).toBe(0)
    const terminal = await open(['--continue'])
    terminal.type('@ev\t')
    await terminal.shows('› @evident.txt')
    terminal.type('\x15\x1b[A')
    await terminal.shows(/› remember ␛\]52;c;aGFja2Vk␇$/)
    expect(terminal.raw()).not.toContain('\x1b]')
    terminal.type('\x15')
    await quit(terminal)
  })

  test('escape codes of a model, a tool or a file name do not reach the terminal', async () => {
    const evil = '\x1b]52;c;aGFja2Vk\x07\x1b[31mred\x1b[2J\x9b2J\u202egnp'
    const terminal = await start([
      {
        thinking: evil,
        ...call('Bash', { command: `printf '%s' '${evil}' >&2; false # ${evil}` }, evil),
        deltaChars: 1,
      },
      { text: `end ${evil}` },
    ])
    terminal.type('go\r')
    await terminal.shows('Allow?')
    terminal.type('1')
    await terminal.shows(/2 steps/)
    const raw = terminal.raw()
    for (const bad of ['\x1b]', '\x9b', '\x07', '\u202e', '\x1b[31mred', '\x1b[2J']) expect(raw).not.toContain(bad)
    expect(raw).toContain('␛[31mred')
    await quit(terminal)
  })

  test('a terminal of 20 columns keeps words whole, too', async () => {
    const terminal = await start(
      [
        call('Bash', { command: 'touch made' }, 'A sentence that is longer than the window is wide.'),
        { text: 'Done.' },
      ],
      { columns: 20 },
    )
    terminal.type('go\r')
    await terminal.shows('Allow?')
    expect(terminal.screen()).toContain('A sentence that is\nlonger than the\nwindow is wide.')
    expect(terminal.screen()).toContain('touch made')
    terminal.type('1')
    await terminal.shows('Done.')
    await quit(terminal)
  })

  test('a terminal of 40 columns keeps words whole and shows the whole question', async () => {
    const terminal = await start(
      [
        call(
          'Bash',
          { command: 'touch made' },
          'A sentence that is rather longer than the window is wide, with 二二二二 in it.',
        ),
        { text: 'Done.' },
      ],
      {
        columns: 40,
      },
    )
    terminal.type('go\r')
    await terminal.shows('Allow?')
    expect(terminal.screen()).toContain(
      'A sentence that is rather longer than\nthe window is wide, with 二二二二 in it.',
    )
    terminal.type('1')
    await terminal.shows('Done.')
    await quit(terminal)
  })

  test('colors are omitted when they are disabled', async () => {
    const terminal = await start([{ text: 'Plain.' }], { env: { NO_COLOR: '1' } })
    terminal.type('go\r')
    await terminal.shows('Plain.')
    // Styles only; cursor movements for the input line remain.
    for (const style of [1, 2, 22, 31, 32, 33, 36, 39]) expect(terminal.raw()).not.toContain(`\x1b[${style}m`)
    await quit(terminal)
  })
})

describe('trestle chat without a terminal', () => {
  test('a pipe does not hang at an approval, gets no escape codes, and is told why a call is denied', async () => {
    await prepare([call('Bash', { command: 'touch made' }, 'I try.'), { text: 'I may not.' }, { text: 'Hello again.' }])
    const run = await runCli(['chat', '--cwd', scratch.project], {
      home: scratch.home,
      stdin: 'make it\n/help\nand hello',
    })
    expect(run).toMatchObject({ code: 0, stderr: '' })
    expect(run.stdout).toMatch(/Whatever\s+needs\s+approval is denied/)
    expect(run.stdout).toMatch(
      /› make it\n(?:Sandbox: [^\n]*\n)?I try\.\n  ✗ Bash touch made[\s\S]*no user is available to give it[\s\S]*I may not\.[\s\S]*› \/help\n[\s\S]*› and hello\nHello again\.\n/,
    )
    expect(run.stdout).not.toContain('\x1b')
    expect(made('made')).toBe(false)
  })

  test('a dumb terminal gets no escape codes, and can answer', async () => {
    const terminal = await start([call('Bash', { command: 'touch made' }), { text: 'Done.' }], {
      env: { TERM: 'dumb' },
    })
    terminal.type('go\r')
    await terminal.shows('0  Reject')
    // Too early: the question does not accept input yet.
    terminal.type('1\r')
    await terminal.shows(/Allow\?$/)
    expect(made('made')).toBe(false)
    terminal.type('1\r')
    await terminal.shows('Done.')
    expect(made('made')).toBe(true)
    expect(terminal.raw()).not.toContain('\x1b')
    terminal.type('/quit\r')
    expect(await terminal.ended).toEqual({ code: 0 })
  })
})
