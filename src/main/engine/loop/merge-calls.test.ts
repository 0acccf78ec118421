import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Access, Tool } from '../tool/tool'
import { canonicalInput, countDistinct, mergeCalls, type MergeCandidate } from './merge-calls'

const READS = { readOnly: true, idempotent: true }
let ids = 0

function call(name: string, input: object, accesses: Access[], more: Partial<Tool> = {}): MergeCandidate {
  const callId = `call-${(ids += 1)}`
  return {
    part: { type: 'tool_call', callId, name, input: JSON.stringify(input) },
    tool: { name, annotations: READS, ...more } as Tool,
    call: { summary: '', accesses } as unknown as NonNullable<MergeCandidate['call']>,
  }
}
const reads = (path: string): MergeCandidate => call('Read', { path }, [{ kind: 'file', path, write: false }])
const writes = (path: string): MergeCandidate =>
  call('Write', { path }, [{ kind: 'file', path, write: true }], { annotations: {} } as Partial<Tool>)
const copiesOf = (...calls: MergeCandidate[]): number[][] => {
  const index = new Map(calls.map(({ part }, at) => [part.callId, at]))
  return [...mergeCalls(calls)].map(([copy, original]) => [index.get(copy)!, index.get(original)!])
}

test('runs the same read once, and gives all copies the first result', () => {
  expect(copiesOf(reads('/a'), reads('/b'), reads('/a'), reads('/a'))).toEqual([
    [2, 0],
    [3, 0],
  ])
})

test('reads again after a write to the same file', () => {
  expect(copiesOf(reads('/a'), writes('/a'), reads('/a'))).toEqual([])
  expect(copiesOf(reads('/a'), writes('/b'), reads('/a'))).toEqual([[2, 0]])
})

test('runs writing calls as often as they were made', () => {
  expect(copiesOf(writes('/a'), writes('/a'))).toEqual([])
})

test('does not trust a server’s annotations of its tools', () => {
  const server = { server: { name: 'x' } } as unknown as Partial<Tool>
  expect(copiesOf(call('x', {}, [], server), call('x', {}, [], server))).toEqual([])
})

test('fails a call that cannot be made once', () => {
  const wrong = (): MergeCandidate => ({ part: reads('/a').part })
  expect(copiesOf(wrong(), wrong())).toEqual([[1, 0]])
})

test('treats inputs as equal whatever the order of their fields', () => {
  const shuffled = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.map(shuffled)
      : typeof value === 'object' && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .toReversed()
              .map(([key, inner]) => [key, shuffled(inner)]),
          )
        : value
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(canonicalInput(JSON.stringify(shuffled(value)))).toBe(canonicalInput(JSON.stringify(value)))
    }),
  )
  expect(canonicalInput('{broken')).toBe('{broken')
})

test('distinguishes different inputs', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      const [a, b] = [JSON.stringify(one), JSON.stringify(other)]
      expect(canonicalInput(a) === canonicalInput(b)).toBe(isDeepStrictEqual(JSON.parse(a), JSON.parse(b)))
    }),
  )
})

test('counts repeated calls once', () => {
  expect(countDistinct([reads('/a'), reads('/b'), reads('/a')].map(({ part }) => part))).toBe(2)
})
