import { expect, test } from 'vitest'
import type { Preview } from '../../../shared/model/approval/preview'
import { mcpTool } from './engine-mcp'

async function previewOf(input: Record<string, unknown>): Promise<Preview & { kind: 'call' }> {
  const annotations = { readOnly: false, destructive: true, idempotent: false, openWorld: true }
  const tool = mcpTool(
    {
      server: 'tracker',
      name: 'create_issue',
      fullName: 'mcp__tracker__create_issue',
      description: 'Creates an issue',
      inputSchema: { type: 'object' },
      annotations,
      saysDestructive: false,
      isLocal: false,
    },
    async () => ({ content: [] }),
  )
  const call = await tool.prepare(input)
  const preview = 'run' in call ? await call.preview?.() : undefined
  if (preview?.kind !== 'call') throw new Error(`a call is shown as ${preview?.kind}`)
  return preview
}

test('shows a call argument by argument: texts unchanged, the rest as JSON, and no hidden characters', async () => {
  const { arguments: shown, left } = await previewOf({
    title: 'Typo\nin the README',
    labels: ['bug'],
    urgent: false,
    body: 'a\u202Eb\u001b[2K',
  })
  expect(shown).toEqual([
    { name: 'title', text: 'Typo\nin the README' },
    { name: 'labels', text: '["bug"]' },
    { name: 'urgent', text: 'false' },
    { name: 'body', text: 'a\\u{202e}b\\u{1b}[2K' },
  ])
  expect(left).toBeUndefined()
})

test('cuts overlong arguments and reports how much is not shown', async () => {
  const { arguments: shown, left } = await previewOf({ body: 'x'.repeat(30_000), 'to the end': 'secret' })
  const length = shown.reduce((sum, { name, text }) => sum + name.length + text.length, 0)
  expect(length).toBeLessThanOrEqual(20_000)
  expect(length + left!).toBe('body'.length + 30_000 + 'to the end'.length + 'secret'.length)
})
