import { describe, expect, it } from 'vitest'
import { tool } from '../../../../test/support/turn-fixture'
import type { Approval, PermissionMode } from '../../../shared/model/approval/approval'
import type { EventBody } from '../../../shared/events/event'
import type { Preview } from '../../../shared/model/approval/preview'
import type { PreparedCall } from '../tool/tool'
import { createWorkspace } from '../workspace/workspace'
import { createGate } from './gate'
import { POLICIES } from './policies'

const root = import.meta.dirname
const bash = {
  ...tool({ name: 'Bash' }),
  annotations: { readOnly: false, destructive: true, idempotent: false, openWorld: true },
}

function gateWith(mode: PermissionMode = 'ask') {
  const events: EventBody[] = []
  const opened = createGate({
    policies: POLICIES,
    record: (...bodies) => void events.push(...bodies),
    isOpen: () => true,
    describeResolution: () => undefined,
    canAsk: () => true,
    now: () => 0,
    newId: (prefix) => `${prefix}-${events.length}`,
    stopTurn: () => undefined,
    session: {
      mode: () => mode,
      plan: () => undefined,
      workspace: () => createWorkspace({ root }),
      rules: async () => [],
      home: '/home/me/.trestle',
      ownOutput: [],
      isRemembered: () => false,
    },
    kept: {
      keepRules: async () => undefined,
      pastCalls: async () => [],
    },
  })
  const asked = () => events.flatMap((event) => (event.type === 'approval.requested' ? [event.approval] : []))
  /** Asks about a command, and returns the request as stored, for every host. */
  const request = async (command: string, shown: Preview = { kind: 'command', command, cwd: root }) => {
    const call: PreparedCall = {
      summary: command,
      accesses: [{ kind: 'command', command, cwd: root }],
      preview: async () => shown,
      run: () => Promise.reject(new Error('a gate never runs a call')),
    }
    const gateCall = {
      callId: 'c',
      turnId: 't',
      tool: bash,
      call,
      preview: async () => shown,
      prepareAgain: async () => call,
    }
    const answer = opened.gate(gateCall, new AbortController().signal)
    await expect.poll(() => asked().length).toBe(1)
    return { approval: asked()[0]!, answer, reply: opened.reply }
  }
  return { request, ask: opened.ask, asked }
}

const HIDDEN = /(?![\n\t])[\p{Cc}\u200b\u202a-\u202e\u2066-\u2069\u2028\u2029\u3164\u{e0000}-\u{e00ff}]/u

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

describe('a request as sent to every host', () => {
  const evil = `ls\u202e\u001b[2J\u200b\u2028${'\n'.repeat(120)}rm -rf ~${' '.repeat(400)};\u{e0041}`
  const previews: Preview[] = [
    { kind: 'command', command: evil, cwd: `/a\u001b[2J`, description: evil },
    { kind: 'text', text: evil },
    {
      kind: 'diff',
      path: 'a\u202e.ts',
      diff: `--- a\n+++ b\n@@ -1 +1,122 @@\n a\n+${evil.replaceAll('\n', '\n+')}\n`,
      added: 121,
      removed: 0,
      note: evil,
    },
    { kind: 'call', server: 's', tool: 't', arguments: [{ name: 'a\u202e', text: evil }] },
  ]

  it.each(previews)(
    'contains nothing that a screen would hide, and nothing pushed out of view: $kind',
    async (preview) => {
      const { approval } = await gateWith().request('npm test', preview)
      for (const text of textsOf(approval)) {
        expect(text).not.toMatch(HIDDEN)
        expect(text).not.toMatch(/(?:\n[-+ ]?\s*){5}/)
        expect(text).not.toMatch(/ {41}/)
      }
      const shown = JSON.stringify(approval)
      expect(shown).toContain('rm -rf ~')
      expect(shown).toContain('119 blank lines')
      expect(shown).toContain('400 spaces')
    },
  )

  it('contains nothing hidden when an MCP server asks during a call', async () => {
    const { ask, asked } = gateWith()
    const asks = { turnId: 't', callId: 'c', tool: 'mcp__s__t' }
    const preview: Preview = { kind: 'link', server: 's', message: evil, url: 'https://example.org/' }
    void ask(asks, { asks: 'link', summary: evil, reason: evil, preview, options: [] }, new AbortController().signal)
    for (const text of textsOf(asked()[0])) expect(text).not.toMatch(HIDDEN)
  })

  it('runs what was shown after it is allowed', async () => {
    const { approval, answer, reply } = await gateWith().request(evil)
    await reply({ approvalId: approval.approvalId, optionId: 'allow_once' })
    expect(await answer).toMatchObject({ allowed: true, call: { accesses: [{ command: evil }] } })
  })
})

describe('the reasons of a request', () => {
  const reasons = async (command: string, mode?: PermissionMode): Promise<Approval['reasons']> =>
    (await gateWith(mode).request(command)).approval.reasons

  it('name every danger of every part, dangers first', async () => {
    const found = await reasons('npm test; git push --force; rm -rf /etc; echo x >> ~/.bashrc')
    const dangers = found!.filter(({ danger }) => danger).map(({ part }) => part)
    expect(dangers).toEqual(
      expect.arrayContaining(['git push --force', 'rm -rf /etc', expect.stringContaining('~/.bashrc')]),
    )
    expect(found!.findIndex(({ danger }) => !danger)).toBeGreaterThanOrEqual(dangers.length)
    expect(found!.map(({ part }) => part)).toContain('npm test')
  })

  it('are given for a single danger, and left out when the headline is enough', async () => {
    expect(await reasons('git push --force', 'auto')).toEqual([expect.objectContaining({ danger: true })])
    expect(await reasons('npm test')).toBeUndefined()
  })

  it('offer no "always" for a dangerous command', async () => {
    const { approval } = await gateWith().request('npm test && git push --force')
    expect(approval.options.map(({ kind }) => kind)).not.toContain('allow_always')
  })
})
