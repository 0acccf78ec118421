import { expect, it } from 'vitest'
import type { RecordedEvent } from '../../../shared/events/event'
import type { RequestPrefix } from '../../../shared/model/turn/context'
import type { ToolSchema } from '../model/provider'
import type { ContextFact } from './facts/context-fact'
import { createPromptPrefix } from './prompt-prefix'

const date = (day: string): ContextFact => ({ key: 'date', text: day, changed: 'The date has changed.' })
const tool = (name: string): ToolSchema => ({ name, description: '', schema: {} })

/** A session whose log is `events`, with a prefix made from the state when it is frozen. */
function lab() {
  const state = {
    frozen: undefined as { seq: number; prefix: RequestPrefix } | undefined,
    events: [] as RecordedEvent[],
    facts: [date('Monday')] as readonly ContextFact[],
    tools: [tool('Read')] as readonly ToolSchema[],
    freezes: 0,
  }
  const prefix = createPromptPrefix({
    current: () => state.frozen,
    async freeze() {
      state.freezes += 1
      const facts = state.facts.map(({ key, text }) => ({ key, text }))
      state.frozen = {
        seq: state.freezes * 100,
        prefix: { system: `system ${state.freezes}`, tools: [...state.tools], facts },
      }
    },
    eventsSince: (seq) => state.events.filter((event) => event.seq > seq),
    facts: () => state.facts,
    tools: () => state.tools,
  })
  /** Announces the changes, as the loop does. */
  const announced = (): string | undefined => {
    const news = prefix.pendingChanges()
    if (!news) return undefined
    const event = { type: 'turn.steered', turnId: 't', by: 'guard', parts: [], facts: news.facts } as const
    state.events.push({
      ...event,
      parts: [],
      sessionId: 's',
      at: 0,
      seq: state.freezes * 100 + state.events.length + 1,
    })
    prefix.onRecorded({ ...event, parts: [] })
    return news.text
  }
  return { state, prefix, announced }
}

it('is frozen once, and again only when no prefix is active', async () => {
  const { state, prefix } = lab()
  await prefix.renew()
  const { tools } = prefix
  state.tools = [tool('Other')]
  await prefix.renew()
  expect(state.freezes).toBe(1)
  expect(prefix.system).toBe('system 1')
  expect(prefix.tools).toBe(tools)
  state.frozen = undefined
  // Until the next one is frozen, the previous one serves to estimate sizes.
  expect(prefix.system).toBe('system 1')
  await prefix.renew()
  expect(prefix.system).toBe('system 2')
  expect(prefix.tools).toEqual([tool('Other')])
})

it('reports a change once, even across processes', async () => {
  const { state, prefix, announced } = lab()
  await prefix.renew()
  expect(announced()).toBeUndefined()
  state.facts = [date('Tuesday')]
  expect(announced()).toContain('Tuesday')
  expect(announced()).toBeUndefined()
  // Read from the log again, as after a restart.
  prefix.reload()
  expect(announced()).toBeUndefined()
})

it('repeats changes that a restore removed, but none after a new freeze', async () => {
  const { state, prefix, announced } = lab()
  await prefix.renew()
  state.facts = [date('Tuesday')]
  expect(announced()).toBeDefined()
  state.events = []
  prefix.reload()
  expect(announced()).toContain('Tuesday')
  state.frozen = undefined
  await prefix.renew()
  expect(announced()).toBeUndefined()
})

it('knows the announced tools, and returns the same set until there are more', async () => {
  const { state, prefix, announced } = lab()
  expect(prefix.knownTools()).toBeUndefined()
  await prefix.renew()
  const names = prefix.knownTools()
  expect(prefix.knownTools()).toBe(names)
  state.tools = [...state.tools, tool('Fetch')]
  announced()
  expect([...prefix.knownTools()!]).toEqual(['Read', 'Fetch'])
})
