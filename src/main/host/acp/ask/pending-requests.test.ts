import { expect, test } from 'vitest'
import type { ApprovalOption } from '../../../../shared/model/approval/approval'
import { memoryEngine } from '../../../../../test/support/memory-engine'
import { until } from '../../../../../test/support/until'
import { PendingRequests } from './pending-requests'

const OPTIONS: ApprovalOption[] = [
  { optionId: 'once', kind: 'allow_once', name: 'Allow once', sandbox: 'project', network: 'listed' },
  { optionId: 'always', kind: 'allow_always', name: 'Always allow example.com', sandbox: 'project' },
  { optionId: 'unrestricted', kind: 'allow_once', name: 'Run once unrestricted', sandbox: 'unrestricted' },
  { optionId: 'reject', kind: 'reject_once', name: "Don't allow" },
]

/** Sends a sandbox request to an editor that answers like this; returns the sent requests and the chosen options. */
async function sandboxRequest(answer: () => unknown) {
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

test('an editor gets a sandbox request with its options and the blocked access', async () => {
  const { requests, chosen } = await sandboxRequest(() => ({ outcome: { outcome: 'selected', optionId: 'always' } }))
  expect(chosen).toBe('always')
  expect(requests).toHaveLength(1)
  const { method, params } = requests[0]!
  expect(method).toBe('session/request_permission')
  expect(params['options']).toEqual(OPTIONS.map(({ optionId, kind, name }) => ({ optionId, kind, name })))
  const shown = JSON.stringify(params['toolCall'])
  expect(shown).toContain('The Project sandbox blocked a connection to example.com:443.')
  expect(shown).toContain('ENETUNREACH')
})

test('denies the request when the editor cannot show it', async () => {
  const { chosen } = await sandboxRequest(() => {
    throw new Error('Method not found')
  })
  expect(chosen).toBe('reject')
})
