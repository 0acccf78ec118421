import { expect, test } from 'vitest'
import { REJECT_OPTIONS, type Approval } from '../../../../shared/model/approval/approval'
import { createStyle, type Terminal } from '../screen/terminal'
import { askApproval, askSandbox } from './ask-approval'

/** A user who answers with these keys and lines in order. Running out of answers fails. */
function person(more: Partial<Approval>, answers: readonly (string | undefined)[]) {
  const left = [...answers]
  const written: string[] = []
  const next = (): string | undefined => {
    if (left.length === 0) throw new Error(`asked for more:\n${written.join('')}`)
    return left.shift()
  }
  const terminal: Terminal = {
    style: createStyle(true),
    isInteractive: true,
    columns: 80,
    isMidLine: false,
    write: (text) => void written.push(text),
    freshLine() {},
    alert() {},
    async readLine() {
      const text = next()
      return text === undefined ? { kind: 'interrupt', text: '' } : { kind: 'line', text }
    },
    readKey: async () => next(),
    onBusyInput: () => () => {},
    status() {},
    close() {},
  }
  const approval: Approval = {
    approvalId: 'a',
    turnId: 't',
    callId: 'c',
    tool: 'Bash',
    summary: 'x',
    reason: 'It can change things.',
    requestedAt: 0,
    options: [
      { optionId: 'allow_once', kind: 'allow_once', name: 'Allow once' },
      { optionId: 'reject', kind: 'reject_once', name: 'Reject' },
    ],
    ...more,
  }
  const answer = askApproval({ approval, terminal, signal: new AbortController().signal, choices: async () => [] })
  return { answer, screen: () => written.join(''), isDone: () => left.length === 0 }
}

const dangerous: Partial<Approval> = {
  preview: { kind: 'command', command: 'npm test; git push --force', cwd: '/p', description: 'Only tests' },
  reasons: [
    { text: 'It rewrites what is on the server.', part: 'git push --force', danger: true },
    { text: 'It can change things.', part: 'npm test' },
  ],
}

test('a dangerous command requires a typed word, and lists every danger in red', async () => {
  // A single key, an empty line and another word return to the options.
  const { answer, screen, isDone } = person(dangerous, ['1', '', '1', 'y', '1', 'allow'])
  expect(await answer).toEqual({ optionId: 'allow_once' })
  expect(isDone()).toBe(true)
  expect(screen()).toContain('\u001b[31mDanger: git push --force: It rewrites what is on the server.\u001b[39m')
  expect(screen()).toContain('npm test: It can change things.')
  expect(screen()).toContain('The agent says: Only tests')
})

test('a long preview must be shown to its end before it can be allowed', async () => {
  const command = Array.from({ length: 60 }, (_, line) => `echo ${line}`).join('\n')
  const { answer, screen } = person({ preview: { kind: 'command', command, cwd: '/p' } }, ['1', '1'])
  expect(await answer).toEqual({ optionId: 'allow_once' })
  expect(screen()).toContain('echo 59')
  // Rejecting does not require the full preview.
  expect(await person({ preview: { kind: 'command', command, cwd: '/p' } }, ['0', 'no']).answer).toEqual({
    optionId: 'reject',
    feedback: 'no',
  })
})

test('"Reject and stop" has its own letter and needs neither a reason nor the full preview; 0 stays Reject', async () => {
  const command = Array.from({ length: 60 }, (_, line) => `echo ${line}`).join('\n')
  const more: Partial<Approval> = {
    preview: { kind: 'command', command, cwd: '/p' },
    options: [{ optionId: 'allow_once', kind: 'allow_once', name: 'Allow once' }, ...REJECT_OPTIONS],
  }
  const { answer, screen, isDone } = person(more, ['s'])
  expect(await answer).toEqual({ optionId: 'reject_stop' })
  expect(isDone()).toBe(true)
  expect(screen()).toMatch(/0\S*  Reject…\n.*s\S*  Reject and stop\n/)
  expect(await person(more, ['0', 'no']).answer).toEqual({ optionId: 'reject', feedback: 'no' })
})

/** Asks a user who presses this key; returns the shown text and the answer. */
async function askedWith(key: string, approval: Partial<Approval>) {
  const written: string[] = []
  const terminal: Terminal = {
    style: createStyle(false),
    isInteractive: true,
    columns: 100,
    isMidLine: false,
    write: (text) => void written.push(text),
    freshLine() {},
    alert() {},
    readLine: async () => ({ kind: 'interrupt', text: '' }),
    readKey: async () => key,
    onBusyInput: () => () => {},
    status() {},
    close() {},
  }
  const base: Approval = {
    approvalId: 'a',
    turnId: 't',
    callId: 'c',
    tool: 'Bash',
    summary: 'npm ci',
    reason: '',
    options: [],
    requestedAt: 0,
  }
  const answer = await (approval.asks === 'sandbox' ? askSandbox : askApproval)({
    approval: { ...base, ...approval },
    terminal,
    signal: new AbortController().signal,
    choices: () => Promise.reject(new Error('No rules are offered here.')),
  })
  return { text: written.join(''), answer }
}

test('a sandbox request offers its options unchanged, including the permanent one', async () => {
  const { text, answer } = await askedWith('2', {
    asks: 'sandbox',
    reason: 'The Project sandbox blocked a connection to example.com:443 \u001b[2J.',
    preview: {
      kind: 'sandbox',
      command: 'npm ci',
      sandbox: { level: 'project', network: 'none' },
      denied: { kind: 'host', host: 'example.com', port: 443 },
      output: '',
    },
    options: [
      { optionId: 'once', kind: 'allow_once', name: 'Allow once' },
      { optionId: 'session', kind: 'allow_always', name: 'Allow for this session' },
      { optionId: 'reject', kind: 'reject_once', name: "Don't allow" },
    ],
  })
  expect(answer).toEqual({ optionId: 'session' })
  expect(text).toContain('Blocked by the sandbox')
  expect(text).toContain('The Project sandbox blocked a connection to example.com:443')
  expect(text).not.toContain('\u001b')
  expect(text).not.toContain('Allow always')
})

test('each choice of a sandbox says what the command can do there', async () => {
  const { text, answer } = await askedWith('1', {
    preview: { kind: 'command', command: 'npm test', cwd: '/project' },
    options: [
      { optionId: 'sandbox', kind: 'allow_once', name: 'Run in sandbox', sandbox: 'project', network: 'none' },
      { optionId: 'unrestricted', kind: 'allow_once', name: 'Run unrestricted', sandbox: 'unrestricted' },
      { optionId: 'reject', kind: 'reject_once', name: 'Reject…' },
    ],
  })
  expect(answer).toEqual({ optionId: 'sandbox' })
  expect(text).toContain('Cannot connect to the network.')
  expect(text).toContain('Runs without a sandbox')
})
