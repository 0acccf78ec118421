import type { ToolCallPart } from '../../../shared/model/turn/message'
import type { PreparedCall, Tool } from '../tool/tool'
import { conflicts, mayWrite } from './call-schedule'

/** A call of a step as far as merging is concerned. */
export interface MergeCandidate {
  part: ToolCallPart
  tool?: Tool
  /** Absent when the call cannot be made. */
  call?: PreparedCall
}

/** The result of a call that was merged with an earlier one, for the model and the user. */
export const MERGED_RESULT = 'Same as the call above; not run again.'

/**
 * The calls of a step that get the result of an earlier, identical one: original call ids by the ids of the copies.
 * Only read-only calls are merged, and only if no call between the two may change what they read. All other calls run
 * as often as they were made.
 */
export function mergeCalls(calls: readonly MergeCandidate[]): Map<string, string> {
  const copies = new Map<string, string>()
  const latest = new Map<string, number>()
  for (const [index, job] of calls.entries()) {
    const key = keyOf(job.part)
    const earlier = latest.get(key)
    if (
      earlier !== undefined &&
      isMergeable(job) &&
      !calls.slice(earlier + 1, index).some((between) => mayChangeResult(between, job))
    ) {
      copies.set(job.part.callId, copies.get(calls[earlier]!.part.callId) ?? calls[earlier]!.part.callId)
    } else {
      latest.set(key, index)
    }
  }
  return copies
}

/** The number of different calls, not counting repetitions. */
export function countDistinct(parts: readonly ToolCallPart[]): number {
  return new Set(parts.map(keyOf)).size
}

/** The input of a call with the fields of its objects in order, so that equal inputs are equal texts. */
export function canonicalInput(json: string): string {
  try {
    return JSON.stringify(sorted(JSON.parse(json)))
  } catch {
    return json
  }
}

function keyOf({ name, input }: ToolCallPart): string {
  return `${name}\n${canonicalInput(input)}`
}

/**
 * Whether identical calls can share a result: calls that cannot be made, tools that must run alone, questions to the
 * user, and read-only calls.
 */
function isMergeable(job: MergeCandidate): boolean {
  return job.call === undefined || job.tool?.alone === true || job.call.asks !== undefined || onlyReads(job)
}

/** Annotations of MCP servers are not trusted. */
function onlyReads({ tool, call }: MergeCandidate): boolean {
  if (!tool || tool.server || !tool.annotations.readOnly || !tool.annotations.idempotent) return false
  return (
    call?.accesses.every((access) => access.kind === 'network' || (access.kind !== 'all' && !mayWrite(access))) === true
  )
}

/** Whether a call between two identical ones may change the result of the second. */
function mayChangeResult(between: MergeCandidate, copy: MergeCandidate): boolean {
  if (!between.call || !copy.call || keyOf(between.part) === keyOf(copy.part)) return false
  const [own, others] = [copy.call.accesses, between.call.accesses]
  // Without accesses it is unknown what a call changes: the to-do list, for example, or the tasks.
  if (own.length === 0 || others.length === 0) return !onlyReads(between) || between.tool?.name === copy.tool?.name
  return conflicts(own, others)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (value === null || typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  )
}
