/**
 * A process that runs turns of real engines with a user who rejects every request: lines of JSON on stdin, one answer
 * on stdout for each. It is a separate process so that it can be contained, and so that it has the environment of the
 * world.
 */
import { createInterface } from 'node:readline'
import { createEngine } from '../../../src/main/engine/engine.ts'
import type { Engine } from '../../../src/main/engine/engine-api.ts'
import type { Approval, SessionMode } from '../../../src/shared/model/approval/approval.ts'
import type { RecordedEvent } from '../../../src/shared/events/event.ts'

export type WorkerOrder =
  | { do: 'open'; home: string; trestle: string; env: Record<string, string> }
  | { do: 'turn'; project: string; mode: SessionMode; prompt: string }
  | { do: 'close' }

export interface WorkerTurn {
  /** Events of the session, and of its subagents. */
  events: RecordedEvent[]
  /** Every card that the user was shown. */
  cards: Approval[]
}

/** A longer turn is stopped, and then judged like any other. */
const TURN_LIMIT_MS = 120_000

let engine: Engine | undefined

async function perform(order: WorkerOrder): Promise<unknown> {
  switch (order.do) {
    case 'open':
      Object.assign(process.env, order.env, { HOME: order.home })
      engine = await createEngine({
        version: 'test',
        home: order.trestle,
        interactive: true,
        canType: false,
        watch: false,
        log: () => undefined,
      })
      return {}
    case 'turn':
      if (!engine) throw new Error('No engine is open.')
      return turn(engine, order.project, order.mode, order.prompt)
    case 'close':
      await engine?.close('stop')
      engine = undefined
      return {}
    default:
      throw new Error('There is no such order.')
  }
}

async function turn(on: Engine, folder: string, mode: SessionMode, prompt: string): Promise<WorkerTurn> {
  const { sessions, inbox } = on
  const { sessionId } = await sessions.create({ folder, mode: mode === 'plan' ? 'ask' : mode })
  if (mode === 'plan') await on.plans.enter(sessionId)
  const cards: Approval[] = []
  const seen = new Set<string>()
  const answerAll = (): void => {
    for (const entry of inbox.list()) {
      if (seen.has(entry.approvalId)) continue
      seen.add(entry.approvalId)
      cards.push(inbox.get(entry.sessionId, entry.approvalId))
      const { optionId = '' } = entry.options.find(({ kind }) => kind === 'reject_once') ?? {}
      void sessions.reply(entry.sessionId, { approvalId: entry.approvalId, optionId }).catch(() => undefined)
    }
  }
  const stopListening = on.onChange(({ kind }) => {
    if (kind === 'inbox') answerAll()
  })
  const ended = new Promise<void>((resolve) => {
    const stop = sessions.listen(sessionId, (event) => {
      if (event.type !== 'turn.finished') return
      stop()
      resolve()
    })
  })
  const limit = setTimeout(() => void sessions.stop(sessionId), TURN_LIMIT_MS)
  await sessions.prompt(sessionId, [{ type: 'text', text: prompt }])
  await ended
  clearTimeout(limit)
  stopListening()
  const events = sessions.since(sessionId, 0)
  const agents = events.flatMap((event) => (event.type === 'subagent.started' ? [event.agentId] : []))
  return { events: [...events, ...agents.flatMap((id) => sessions.since(id, 0))], cards }
}

for await (const line of createInterface({ input: process.stdin })) {
  const { id, order } = JSON.parse(line) as { id: number; order: WorkerOrder }
  const answer = await perform(order).catch((error: unknown) => ({ error: String(error) }))
  process.stdout.write(`\u0001${JSON.stringify({ id, answer })}\n`)
}
process.exit(0)
