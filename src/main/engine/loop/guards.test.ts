import { describe, expect, it } from 'vitest'
import { createGuards, type GuardedStep } from './guards'

function step(input: unknown, { name = 'Bash', result = 'same', ms = 3 } = {}): GuardedStep {
  return {
    calls: [{ type: 'tool_call', callId: 'c', name, input: typeof input === 'string' ? input : JSON.stringify(input) }],
    results: [{ role: 'tool', callId: 'c', name, isError: false, content: [{ type: 'text', text: result }] }],
    longestMs: ms,
  }
}

/** How many steps it takes until the turn must end; undefined when all of them pass. Collects the warnings. */
function endsAfter(steps: readonly GuardedStep[], warnings: string[] = []): number | undefined {
  const guards = createGuards()
  for (const [index, each] of steps.entries()) {
    const warning = guards.observe(each)
    if (warning !== undefined) warnings.push(`${index + 1}: ${warning}`)
    if (guards.ending()) return index + 1
  }
  return undefined
}

const times = (count: number, make: (index: number) => GuardedStep): GuardedStep[] =>
  Array.from({ length: count }, (_, index) => make(index))

describe('the guard against repetition', () => {
  it('ends a turn at the twelfth identical step, after two warnings', () => {
    const warnings: string[] = []
    expect(
      endsAfter(
        times(20, () => step({ command: 'ls' })),
        warnings,
      ),
    ).toBe(12)
    expect(warnings).toEqual([expect.stringMatching(/^4: .*4 times/), expect.stringMatching(/^8: .*8 times/)])
  })

  it('ends a turn earlier if the agent’s limit is lower, without a warning that comes too late', () => {
    const guards = createGuards(3)
    const seen = times(3, () => step({ command: 'ls' })).map((each) => [guards.observe(each), guards.ending()])
    expect(seen).toEqual([
      [undefined, undefined],
      [undefined, undefined],
      [undefined, 'repetition'],
    ])
  })

  it('ignores differences in the spelling of a call', () => {
    const spellings = [
      { command: 'ls  -l', timeout: 5 },
      { timeout: 5, command: 'ls -l', description: 'List "all" files' },
      { description: 'Again', command: 'ls\n-l', timeout: 5 },
    ]
    expect(endsAfter(times(30, (index) => step(spellings[index % 3])))).toBe(12)
  })

  it('detects patterns of two or three steps, and counts repetitions of the whole pattern', () => {
    const warnings: string[] = []
    expect(
      endsAfter(
        times(60, (index) => step({ command: `cat ${index % 2}` })),
        warnings,
      ),
    ).toBe(24)
    expect(warnings).toEqual([expect.stringMatching(/^8: .*2 calls in turn.*4 times/), expect.stringMatching(/^16: /)])
    expect(endsAfter(times(60, (index) => step({ command: `cat ${index % 3}` })))).toBe(36)
  })

  it('does not count steps with different results or different calls', () => {
    expect(endsAfter(times(100, (index) => step({ command: 'date' }, { result: String(index) })))).toBeUndefined()
    expect(endsAfter(times(100, (index) => step({ command: `cat ${index}` })))).toBeUndefined()
    expect(
      endsAfter(times(100, (index) => step({ command: 'cat x' }, { result: index % 11 === 10 ? 'new' : 'same' }))),
    ).toBeUndefined()
  })

  it('does not count polling that waits: for a task, or with a long command', () => {
    const poll = { name: 'TaskOutput', result: 'retrieval_status: timeout\nstatus: running', ms: 200 }
    expect(endsAfter(times(100, () => step({ task_id: 'bash-1', block: true }, poll)))).toBeUndefined()
    expect(endsAfter(times(100, () => step({ command: 'sleep 5; cat log' }, { ms: 5_010 })))).toBeUndefined()
    const pair = times(100, (index) =>
      index % 2 === 0 ? step({ task_id: 'bash-1', block: true }, poll) : step({ command: 'cat log' }),
    )
    expect(endsAfter(pair)).toBeUndefined()
  })

  it('counts polling that does not wait', () => {
    const poll = { name: 'TaskOutput', result: 'retrieval_status: not_ready\nstatus: running' }
    expect(endsAfter(times(100, () => step({ task_id: 'bash-1' }, poll)))).toBe(12)
  })
})
