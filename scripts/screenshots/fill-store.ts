import { join } from 'node:path'
import type { EventBody } from '../../src/shared/events/event.ts'
import { CENTS, FLAKY, KEYS } from './conversations.ts'

const HOUR = 3_600_000
const model = 'moonshot/kimi-k2-thinking'

/**
 * Creates sessions in two projects: three empty ones for the conversations, and older ones that ended in different
 * ways. Returns ids by title.
 */
export async function fillStore(home: string, trestleHome: string, now: number): Promise<ReadonlyMap<string, string>> {
  const { openStore } = await import('../../src/main/engine/store/open/open-store.ts')
  let clock = now
  const { store } = openStore({ home: trestleHome, now: () => clock })
  const ids = new Map<string, string>()
  const add = (project: string, title: string, age: number, events: readonly EventBody[] = []): void => {
    clock = now - age
    const sessionId = `session-${ids.size + 1}`
    ids.set(title, sessionId)
    store.create({ sessionId, folder: join(home, 'code', project), title, mode: 'ask', model, addedFolders: [] })
    store.append(sessionId, [{ type: 'session.changed', title, titleIsCustom: true }, ...events])
    store.release(sessionId)
  }
  add('storefront', 'Upgrade to Vite 8', 50 * HOUR, turn('end_turn'))
  add('storefront', 'Why is the cart slow on Safari?', 2 * HOUR, turn('cancelled'))
  add('infra', 'Rehearse the restore', 5 * HOUR, turn('error'))
  for (const { title } of [KEYS]) add('infra', title, 40_000)
  for (const { title } of [CENTS, FLAKY]) add('storefront', title, 30_000)
  store.close()
  return ids
}

function turn(stop: 'end_turn' | 'cancelled' | 'error'): EventBody[] {
  const turnId = 'turn-1'
  const failure = {
    code: 'model.connection' as const,
    title: 'The model could not be reached',
    message: 'connect ECONNREFUSED',
    advice: 'Check the network and try again.',
    retryable: true,
  }
  return [
    { type: 'turn.started', turnId, parts: [{ type: 'text', text: 'Please look into it.' }], model },
    { type: 'step.started', turnId, stepId: 'step-1', n: 1, model },
    {
      type: 'step.finished',
      turnId,
      stepId: 'step-1',
      parts: [{ type: 'text', text: 'Done.' }],
      finish: 'stop',
      durationMs: 900,
    },
    { type: 'turn.finished', turnId, stop, steps: 1, durationMs: 1000, ...(stop === 'error' && { failure }) },
  ]
}
