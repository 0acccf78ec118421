import { describe, expect, it } from 'vitest'
import type { ToolItem } from '../../../../shared/events/transcript-item'
import { formatBytes, toolOutcome, commandPurpose, namedArguments, prettyInput, toolSummary } from './tool-summary'
import { failureLines } from './tool-row'

const item = (change: Partial<ToolItem>): ToolItem => ({
  kind: 'tool',
  id: 't:1',
  turnId: 't',
  stepId: 's',
  callId: '1',
  at: 0,
  name: 'Bash',
  state: 'done',
  summary: '',
  input: '',
  chars: 0,
  progress: '',
  content: [],
  durationMs: 20,
  ...change,
})
const output = (exitCode?: number) => ({
  kind: 'output' as const,
  taskId: 'x',
  command: 'c',
  durationMs: 31_000,
  text: '',
  outputPath: '/o',
  truncated: false,
  ...(exitCode !== undefined && { exitCode }),
})

describe('tool rows', () => {
  it('show a nonzero exit code as a failure even if the call itself succeeded', () => {
    expect(toolOutcome(item({ details: output(1) }))).toEqual({ text: 'exit 1 · 31 s', tone: 'fail' })
    expect(toolOutcome(item({ details: output(0) }))).toEqual({ text: '31 s', tone: 'plain' })
    expect(toolOutcome(item({ state: 'failed', details: output(2), durationMs: 31_000 }))).toEqual({
      text: 'exit 2 · 31 s',
      tone: 'fail',
    })
  })

  it('count matches, files and lines with singular and plural', () => {
    const files = [
      { path: 'a', lines: [{ line: 1, text: 'x' }] },
      { path: 'b', lines: [] },
    ]
    expect(
      toolOutcome(item({ details: { kind: 'matches', pattern: 'x', files, total: 7, truncated: true } })).text,
    ).toBe('7+ in 2 files')
    expect(
      toolOutcome(
        item({
          details: { kind: 'matches', pattern: 'x', files: [{ path: 'b', lines: [] }], total: 1, truncated: false },
        }),
      ).text,
    ).toBe('1 file')
    expect(
      toolOutcome(item({ details: { kind: 'matches', pattern: 'x', files: [], total: 0, truncated: false } })).text,
    ).toBe('nothing found')
    expect(toolOutcome(item({ details: { kind: 'file', path: 'a', line: 1, lines: 1 } })).text).toBe('1 line')
  })

  it('distinguish a rejected call from a failed one', () => {
    expect(toolOutcome(item({ state: 'rejected', approval: { approvalId: 'a', outcome: 'reject_once' } })).text).toBe(
      'rejected',
    )
    expect(toolOutcome(item({ state: 'rejected', approval: { approvalId: 'a', outcome: 'cancelled' } })).text).toBe(
      'not run',
    )
  })

  it('summarize a call before the tool has provided its summary', () => {
    expect(toolSummary({ name: 'Bash', summary: '', input: '{"cwd":"/x","command":"npm\\n test"}' })).toBe('npm test')
    expect(toolSummary({ name: 'Read', summary: 'src/x.ts', input: '{"path":"/y"}' })).toBe('src/x.ts')
    for (const input of ['', '{"command":', 'null', '[1]', '{"path":3}'])
      expect(toolSummary({ name: 'Read', summary: '', input })).toBe('')
    expect(prettyInput('{"a":')).toBe('{"a":')
    expect(prettyInput('{"a":1}')).toBe('{\n  "a": 1\n}')
  })

  it('show the description of a command, and a plan without its internal path', () => {
    expect(
      commandPurpose({ name: 'Bash', input: '{"command":"npm test","description":" Run the\\n test suite "}' }),
    ).toBe('Run the test suite')
    for (const input of ['{"command":"x"}', '{"description":3}', '{"descr', 'null'])
      expect(commandPurpose({ name: 'Bash', input })).toBeUndefined()
    expect(commandPurpose({ name: 'Agent', input: '{"description":"x"}' })).toBeUndefined()
    expect(
      toolSummary({ name: 'Write', summary: '/home/me/.trestle/sessions/session-1/plans/plan-1.md', input: '' }),
    ).toBe('the plan')
    expect(toolSummary({ name: 'Write', summary: 'sessions/a/plans/plan-1.md', input: '' })).toBe(
      'sessions/a/plans/plan-1.md',
    )
    expect(toolSummary({ name: 'TodoList', summary: 'read', input: '' })).toBe('')
  })

  it('show why a call failed: the last lines of a command, the first line of another failure', () => {
    const text =
      Array.from({ length: 20 }, (_, n) => `line ${n}\n\n`).join('') + '\u001b[31mError: no such module\u001b[0m\n'
    expect(failureLines(item({ details: { ...output(3), text } }))).toEqual([
      ...[15, 16, 17, 18, 19].map((n) => `line ${n}`),
      'Error: no such module',
    ])
    expect(failureLines(item({ details: { ...output(0), text } }))).toEqual([])
    expect(
      failureLines(
        item({ state: 'failed', name: 'Edit', content: [{ type: 'text', text: '\nThe text was not found.\nMore.' }] }),
      ),
    ).toEqual(['The text was not found.'])
    // A line that only announces the cause is followed by it.
    expect(
      failureLines(
        item({
          state: 'failed',
          content: [{ type: 'text', text: 'The input is not valid:\n- path is missing\nMore.' }],
        }),
      ),
    ).toEqual(['The input is not valid:', '- path is missing'])
    expect(failureLines(item({ state: 'rejected', content: [{ type: 'text', text: 'no' }] }))).toEqual([])
    expect(failureLines(item({ details: { ...output(1), text: 'x'.repeat(5000) } }))[0]?.length).toBeLessThan(300)
  })

  it('format sizes in decimal units, and never as 1000 KB', () => {
    expect([0, 999, 1000, 3400, 999_400, 999_600, 12_000_000].map(formatBytes)).toEqual([
      '0 B',
      '999 B',
      '1.0 KB',
      '3.4 KB',
      '999 KB',
      '1.0 MB',
      '12 MB',
    ])
  })
})

describe('arguments of an MCP tool', () => {
  const named = (name: string, input: string) => namedArguments({ name, input })

  it('are split by name, but not for other tools or if they do not parse', () => {
    expect(named('mcp__tracker__create', '{"title":"Typo\\nhere","labels":["a"],"urgent":false}')).toEqual([
      { name: 'title', text: 'Typo\nhere' },
      { name: 'labels', text: '["a"]' },
      { name: 'urgent', text: 'false' },
    ])
    expect(named('mcp__tracker__create', '{"title":')).toBeUndefined()
    expect(named('Bash', '{"command":"ls"}')).toBeUndefined()
  })
})
