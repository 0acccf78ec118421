import { describe, expect, it } from 'vitest'
import { rulesOf } from '../../../../../test/support/judge-command'
import { PERMISSION_MODES } from '../../../../shared/model/approval/approval'
import { createWorkspace } from '../../workspace/workspace'
import { inspectCommand } from '../command/inspect-command'
import type { CommandSandboxes, JudgedCall, Verdict } from '../rules/policy'
import type { Access, ToolAnnotations } from '../../tool/tool'
import { judge } from './judge'
import { POLICIES } from './index'

const root = '/usr'
const workspace = createWorkspace({ root })
const page: Access = { kind: 'network', host: 'docs.example', url: 'https://docs.example/a' }
const SANDBOXES: CommandSandboxes = {
  required: false,
  hosts: ['registry.npmjs.org', 'docs.example'],
  webHosts: ['docs.example'],
  openedHosts: [],
  writable: [],
  isReadable: () => true,
}
const READS: ToolAnnotations = { readOnly: true, destructive: false, idempotent: true, openWorld: false }
const OPEN: ToolAnnotations = { ...READS, openWorld: true }

interface Called extends Partial<Omit<JudgedCall, 'tool' | 'call'>> {
  annotations?: ToolAnnotations
  server?: JudgedCall['tool']['server']
  remembered?: true
  allow?: string
}

/** The verdict on a call of this tool after mail was read. */
function judged(name: string, accesses: Access[], more: Called = {}): Verdict {
  const { annotations = OPEN, server, remembered, allow, ...rest } = more
  return judge(POLICIES, {
    tool: { name, annotations, ...(server && { server }) },
    call: {
      summary: '',
      accesses,
      run: () => Promise.reject(new Error('never')),
      ...(remembered && { rememberAs: { key: 'k', label: '' } }),
    },
    mode: 'auto',
    workspace,
    home: '/home/absent/.trestle',
    ownOutput: [],
    rules: allow === undefined ? [] : rulesOf(allow),
    sandboxes: SANDBOXES,
    isRemembered: () => remembered === true,
    hasReadMail: () => true,
    ...rest,
  })
}

async function command(text: string, more: Called = {}): Promise<Verdict> {
  const parts = await inspectCommand(text, root, workspace)
  return judged('Bash', [{ kind: 'command', command: text, cwd: root }], { parts, ...more })
}

describe('after mail was read', () => {
  it.each(PERMISSION_MODES)('a page of a listed host asks in %s, even with a rule or an earlier answer', (mode) => {
    const verdict = judged('FetchURL', [page], { mode })
    expect(verdict).toMatchObject({ decision: 'ask', everyTime: true })
    expect(verdict.reason).toBe(
      'It connects to docs.example. ' +
        'This conversation contains mail, and a message could ask the agent to pass on what it has read.',
    )
    expect(judged('FetchURL', [page], { mode, allow: 'allow FetchURL' }).decision).toBe('ask')
    expect(judged('FetchURL', [page], { mode, remembered: true }).decision).toBe('ask')
    expect(judged('FetchURL', [page], { mode, hasReadMail: () => false }).decision).toBe('allow')
  })

  it.each(['OpenURL', 'CreateCalendarEvent', 'ScheduleCreate', 'ScheduleUpdate'])(
    '%s asks every time, no matter what its annotations claim',
    (name) => {
      expect(judged(name, [], { annotations: READS })).toMatchObject({ decision: 'ask', everyTime: true })
    },
  )

  it('calls to MCP servers ask, unless the server runs locally and does not claim to reach others', () => {
    const access = (local: boolean): Access[] => [{ kind: 'server', server: 's', local, write: false }]
    expect(judged('Search', access(false), { annotations: READS })).toMatchObject({ decision: 'ask', everyTime: true })
    expect(judged('Search', access(true))).toMatchObject({ decision: 'ask', everyTime: true })
    expect(judged('Search', access(true), { annotations: READS }).decision).toBe('allow')
  })

  it('an MCP tool named MailRead asks', () => {
    const server = { name: 's', tool: 'MailRead', saysDestructive: false }
    const access: Access[] = [{ kind: 'server', server: 's', local: false, write: false }]
    expect(judged('MailRead', access, { server }).decision).toBe('ask')
  })

  it('files and more mail are read without asking', () => {
    expect(judged('MailRead', [], { annotations: READS }).decision).toBe('allow')
    expect(judged('Read', [{ kind: 'file', path: `${root}/a`, write: false }], { annotations: READS }).decision).toBe(
      'allow',
    )
  })

  it('a deny rule still denies', () => {
    expect(judged('FetchURL', [page], { rules: rulesOf('deny FetchURL') }).decision).toBe('deny')
  })
})

describe('commands after mail was read', () => {
  it('run without asking only in a sandbox without a network', async () => {
    expect(await command('npm test')).toMatchObject({
      decision: 'allow',
      sandbox: { level: 'project', network: 'none' },
    })
    expect(await command('npm test', { hasReadMail: () => false })).toMatchObject({ sandbox: { network: 'listed' } })
    expect(await command('npm test', { allow: 'allow Bash(npm test)' })).toMatchObject({
      decision: 'allow',
      sandbox: { network: 'none' },
    })
  })

  it.each(['npm ci', 'curl https://docs.example/a', 'git push', 'ls && npm ci'])(
    'ask when they use the network, even when it is listed or a rule allows them: %s',
    async (text) => {
      expect(await command(text)).toMatchObject({ decision: 'ask', everyTime: true })
      expect(await command(text, { allow: 'allow Bash' })).toMatchObject({ decision: 'ask', everyTime: true })
    },
  )

  it('ask without a sandbox, even when they only read', async () => {
    const unavailable = { ...SANDBOXES, unavailable: 'There is no sandbox here.' }
    expect(await command('ls', { sandboxes: unavailable })).toMatchObject({ decision: 'ask', everyTime: true })
    expect(await command('ls', { mode: 'ask', sandboxes: unavailable })).toMatchObject({ decision: 'ask' })
  })

  it("ask when the user allowed a host for the session's sandboxes", async () => {
    const sandboxes = { ...SANDBOXES, openedHosts: ['a.example'] }
    expect(await command('npm test', { sandboxes })).toMatchObject({ decision: 'ask', everyTime: true })
  })
})

describe('sending mail', () => {
  it.each(PERMISSION_MODES)('asks in %s before any mail was read, even with a rule or an earlier answer', (mode) => {
    const sent = { mode, hasReadMail: () => false, annotations: { ...OPEN, readOnly: false } }
    expect(judged('MailSend', [], sent)).toMatchObject({ decision: 'ask', everyTime: true })
    expect(judged('MailSend', [], { ...sent, allow: 'allow MailSend' }).decision).toBe('ask')
    expect(judged('MailSend', [], { ...sent, remembered: true }).decision).toBe('ask')
  })
})
