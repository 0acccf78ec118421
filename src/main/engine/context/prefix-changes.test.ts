import { describe, expect, it } from 'vitest'
import type { AnnouncedFact } from '../../../shared/model/turn/context'
import type { ToolSchema } from '../model/provider'
import {
  type ContextFact,
  addKnownFacts,
  knownFactsIn,
  knownTools,
  type KnownFacts,
  toolDigest,
} from './facts/context-fact'
import { changesSince, recordedFact } from './prefix-changes'

const tool = (name: string, description = `The tool ${name}.`): ToolSchema => ({
  name,
  description,
  schema: { type: 'object' },
})
const date = (day: string): ContextFact => ({ key: 'date', text: `Today: ${day}.`, changed: 'The date has changed.' })
const file: ContextFact = {
  key: 'file',
  text: 'Use tabs.',
  changed: 'The file says now:',
  removed: 'The file no longer exists.',
}
const list = (...lines: string[]): ContextFact => ({
  key: 'list',
  text: ['What there is:', ...lines].join('\n'),
  changed: 'The list has changed.',
  isList: true,
})

function knownFrom(facts: ContextFact[], tools: ToolSchema[] = []): KnownFacts {
  return knownFactsIn({ system: '', tools: [...tools], facts: facts.map(recordedFact) }, [])
}
const announce = (known: KnownFacts, facts: AnnouncedFact[]): void => {
  addKnownFacts(known, { type: 'turn.steered', turnId: 't', by: 'guard', parts: [], facts })
}

describe('the changes since the model was last informed', () => {
  it('are undefined without changes, and after the changes were announced', () => {
    const known = knownFrom([date('Monday'), file], [tool('Read')])
    expect(changesSince(known, [date('Monday'), file], [tool('Read')])).toBeUndefined()
    const change = changesSince(known, [date('Tuesday'), file], [tool('Read')])!
    expect(change.text).toContain('The date has changed.\nToday: Tuesday.')
    expect(change.text).not.toContain('tabs')
    announce(known, change.facts)
    expect(changesSince(known, [date('Tuesday'), file], [tool('Read')])).toBeUndefined()
    expect(changesSince(known, [date('Monday'), file], [tool('Read')])?.text).toContain('Monday')
  })

  it('report a removed fact once, and the fact when it is back', () => {
    const known = knownFrom([file])
    const gone = changesSince(known, [], [])!
    expect(gone.text).toContain('The file no longer exists.')
    announce(known, gone.facts)
    expect(changesSince(known, [], [])).toBeUndefined()
    expect(changesSince(known, [file], [])?.text).toContain('The file says now:\nUse tabs.')
  })

  it('leave out facts whose changes are not announced', () => {
    const folder = (path: string): ContextFact => ({ key: 'folder', text: path })
    expect(changesSince(knownFrom([folder('/a')]), [folder('/b')], [])).toBeUndefined()
    expect(changesSince(knownFrom([folder('/a')]), [], [])).toBeUndefined()
  })

  it('have only the added and removed lines of a long list, but all of it if most are new', () => {
    const lines = Array.from({ length: 20 }, (_, n) => `- thing-${n}: what it is good for`)
    const known = knownFrom([list(...lines)])
    const few = changesSince(known, [list(...lines.slice(1), '- another: new')], [])!
    expect(few.text).toContain('New or changed:\n- another: new\nGone:\n- thing-0')
    expect(few.text).not.toContain('thing-5')
    expect(changesSince(known, [list('- one: a', '- two: b')], [])!.text).toContain(
      'What there is:\n- one: a\n- two: b',
    )
  })

  it('do not include a description that is only cut at another length', () => {
    const known = knownFrom([list('- a: a long descr…', '- b: short')])
    expect(changesSince(known, [list('- a: a long description of it', '- b: short')], [])).toBeUndefined()
    expect(changesSince(known, [list('- a: a new description', '- b: short')], [])).toBeDefined()
  })
})

describe('the tools', () => {
  it('that were added or changed are announced with their schemas, and how to call them', () => {
    const known = knownFrom([], [tool('Read'), tool('Edit')])
    const change = changesSince(known, [], [tool('Read'), tool('Edit', 'Changed.'), tool('Fetch')])!
    expect(change.text).toContain('call_tool')
    expect(change.text).toContain('{"name":"Fetch","description":"The tool Fetch.","input_schema":{"type":"object"}}')
    expect(change.text).toContain('"Changed."')
    expect(change.text).not.toContain('"Read"')
    announce(known, change.facts)
    expect([...knownTools(known)]).toEqual(['Read', 'Edit', 'Fetch'])
  })

  it('that were removed and are back are named without their schemas', () => {
    const known = knownFrom([], [tool('Read'), tool('Fetch')])
    const gone = changesSince(known, [], [tool('Read')])!
    expect(gone.text).toContain('Tools that are no longer available: Fetch.')
    announce(known, gone.facts)
    const back = changesSince(known, [], [tool('Read'), tool('Fetch')])!
    expect(back.text).toContain('Tools that are available again: Fetch.')
    expect(back.text).not.toContain('input_schema')
  })

  it('that a search has returned are not announced again until they change', () => {
    const known = knownFrom([], [tool('tool_search')])
    const found = { id: 's::x', name: 'x', description: '', digest: toolDigest(tool('x')) }
    const result = { turnId: 't', callId: 'c', name: 'tool_search', content: [], isError: false, durationMs: 0 }
    addKnownFacts(known, { type: 'tool.finished', ...result, details: { kind: 'tools', query: 'x', tools: [found] } })
    expect(changesSince(known, [], [tool('tool_search'), tool('x')])).toBeUndefined()
    expect(changesSince(known, [], [tool('tool_search'), tool('x', 'Other.')])).toBeDefined()
  })
})
