import { expect, test } from 'vitest'
import type { Approval } from '../../../../shared/model/approval'
import { createStyle } from '../screen/style'
import type { Terminal } from '../screen/terminal'
import { askApproval } from './ask-approval'
import { askSandbox } from './ask-sandbox'

/** Asks a person who presses this key; what they read, and their answer. */
async function askedWith(key: string, approval: Partial<Approval>) {
  const written: string[] = []
  const terminal: Terminal = {
    style: createStyle(false),
    isInteractive: true,
    columns: 100,
    isMidLine: false,
    write: (text) => void written.push(text),
    freshLine() {},
    readLine: async () => ({ kind: 'interrupt', text: '' }),
    readKey: async () => key,
    whileBusy: () => () => {},
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

test('what a sandbox refused is answered with the options as they are, also for good', async () => {
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

test('each choice of where a command runs says what the command can do there', async () => {
  const { text, answer } = await askedWith('1', {
    preview: { kind: 'command', command: 'npm test', cwd: '/project' },
    options: [
      { optionId: 'sandbox', kind: 'allow_once', name: 'Run in sandbox', sandbox: 'project', network: 'none' },
      { optionId: 'unrestricted', kind: 'allow_once', name: 'Run unrestricted', sandbox: 'unrestricted' },
      { optionId: 'reject', kind: 'reject_once', name: 'Reject…' },
    ],
  })
  expect(answer).toEqual({ optionId: 'sandbox' })
  expect(text).toContain("Can't connect to the network.")
  expect(text).toContain('Runs without a sandbox')
})
