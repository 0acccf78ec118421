import { expect, test } from 'vitest'
import type { ApprovalOption } from '../../../../shared/model/approval'
import { memoryEngine } from '../../../../../test/support/memory-engine'
import { until } from '../../../../../test/support/until'
import { PendingRequests } from './pending-requests'

const OPTIONS: ApprovalOption[] = [
  { optionId: 'once', kind: 'allow_once', name: 'Allow once', sandbox: 'project', network: 'listed' },
  { optionId: 'always', kind: 'allow_always', name: 'Always allow example.com', sandbox: 'project' },
  { optionId: 'unrestricted', kind: 'allow_once', name: 'Run once unrestricted', sandbox: 'unrestricted' },
  { optionId: 'reject', kind: 'reject_once', name: "Don't allow" },
]

/** What a sandbox refused, put to an editor that answers like this; what the editor was sent, and what was chosen. */
async function asked(answer: () => unknown) {
  const engine = memoryEngine()
  const { sessionId } = await engine.sessions.create({ folder: '/project' })
  const requests: { method: string; params: Record<string, unknown> }[] = []
  const client = {
    request: async (method: string, params: Record<string, unknown>) => {
      requests.push({ method, params })
      return answer()
    },
  }
  const asks = new PendingRequests({
    engine,
    client: client as never,
    capabilities: () => ({}),
    session: () => ({ paths: { shown: (path: string) => path } as never, flush() {} }),
    log() {},
  })
  const outcomes: unknown[] = []
  engine.sessions.listen(sessionId, (event) => {
    if (event.type === 'approval.resolved') outcomes.push(event.chosen)
  })
  engine.ask(sessionId, 'a', {
    asks: 'sandbox',
    summary: 'npm ci',
    preview: {
      kind: 'sandbox',
      command: 'npm ci',
      sandbox: { level: 'project', network: 'none' },
      denied: { kind: 'host', host: 'example.com', port: 443 },
      output: 'ENETUNREACH',
    },
    options: OPTIONS,
  })
  asks.update()
  await until(() => outcomes.length > 0, 'the request to be answered')
  return { requests, chosen: outcomes[0] }
}

test('an editor is asked about what a sandbox refused, with the options as they are and what was refused', async () => {
  const { requests, chosen } = await asked(() => ({ outcome: { outcome: 'selected', optionId: 'always' } }))
  expect(chosen).toBe('always')
  expect(requests).toHaveLength(1)
  const { method, params } = requests[0]!
  expect(method).toBe('session/request_permission')
  expect(params['options']).toEqual(OPTIONS.map(({ optionId, kind, name }) => ({ optionId, kind, name })))
  const shown = JSON.stringify(params['toolCall'])
  expect(shown).toContain('The Project sandbox blocked a connection to example.com:443.')
  expect(shown).toContain('ENETUNREACH')
})

test('an editor that cannot ask allows nothing', async () => {
  const { chosen } = await asked(() => {
    throw new Error('Method not found')
  })
  expect(chosen).toBe('reject')
})
