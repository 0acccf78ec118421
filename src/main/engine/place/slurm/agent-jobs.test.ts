import { describe, expect, it } from 'vitest'
import type { EventBody } from '../../../../shared/events/event'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { openStore } from '../../store/open/open-store'
import { earlierText } from './agent-jobs'

const SESSION = 'agent'

/** A turn in which the agent reads a file. */
function turn(turnId: string, said: string, answer: string): EventBody[] {
  return [
    { type: 'turn.started', turnId, parts: [{ type: 'text', text: said }], model: 'm' },
    { type: 'tool.started', turnId, stepId: 's1', callId: turnId, name: 'Read', input: '{}', summary: 'notes.md' },
    {
      type: 'tool.finished',
      turnId,
      callId: turnId,
      name: 'Read',
      content: [{ type: 'text', text: `content in ${turnId}` }],
      isError: false,
      durationMs: 1,
    },
    {
      type: 'step.finished',
      turnId,
      stepId: 's2',
      parts: [{ type: 'text', text: answer }],
      finish: 'stop',
      durationMs: 1,
    },
    { type: 'turn.finished', turnId, stop: 'end_turn', steps: 2, durationMs: 1 },
  ]
}

/** The earlier text that the agent gets for the last of these turns, which has just started. */
async function earlier(...turns: readonly EventBody[][]): Promise<string> {
  const { store } = openStore({ home: await tempFolder() })
  try {
    store.create({ sessionId: SESSION, folder: '/app', title: 'agent', mode: 'ask', addedFolders: [] })
    for (const events of turns.slice(0, -1)) store.append(SESSION, events)
    store.append(SESSION, turns.at(-1)!.slice(0, 1))
    return earlierText(store, SESSION, `t${turns.length}`)
  } finally {
    store.close()
  }
}

describe('a subagent that continues in a new job', () => {
  it('gets no earlier text for its first turn', async () => {
    expect(await earlier(turn('t1', 'first', 'one'))).toBe('')
  })

  it('gets its earlier prompts, calls and answers, without the message that continues it', async () => {
    const text = await earlier(turn('t1', 'first', 'one'), turn('t2', 'second', 'two'), turn('t3', 'third', 'three'))
    const inOrder = ['# Your conversation until now', 'first', 'notes.md', 'content in t1', 'one', 'second', 'two']
    const places = inOrder.map((part) => text.indexOf(part))
    expect(places).not.toContain(-1)
    expect(places).toEqual(places.toSorted((a, b) => a - b))
    expect(text).not.toContain('third')
  })

  it('gets the newest 60,000 characters of a long conversation, with no character cut in half', async () => {
    const [even, odd] = await Promise.all(
      ['', 'x'].map((more) => earlier(turn('t1', 'oldest', `${'😀'.repeat(40_000)}${more}`), turn('t2', 'next', ''))),
    )
    for (const text of [even!, odd!]) {
      expect(text).not.toContain('oldest')
      // One less if an emoji would be cut.
      expect([60_000, 60_001]).toContain(text.length)
      expect(text.startsWith('…')).toBe(true)
      expect(text.isWellFormed()).toBe(true)
    }
    expect(odd!.trimEnd().endsWith('😀x')).toBe(true)
  })
})
