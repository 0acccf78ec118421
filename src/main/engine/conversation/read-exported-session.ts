import { checkExportedChain } from './exported-chain'
import { CodedError } from '../../../shared/errors'
import { isRecord } from '../../../shared/json-fields'
import { z } from 'zod'
import {
  FORMAT,
  FORMAT_VERSION,
  isConversationEvent,
  parseEvent,
  sessionInfo,
  type ImportedEvent,
  type SessionInfo,
} from './exported-session'

const MAX_EVENTS = 500_000
/** Providers refuse a conversation in which a call has no result. */
const NO_RESULT = 'The file that this session was imported from has no result of this call.'

/** A session as described in a file. */
export interface ReadSession {
  info: SessionInfo
  events: ImportedEvent[]
  /** Whether its hashes prove that the events are as recorded; undefined if it has none. */
  verified?: boolean
}

/**
 * Reads an exported session: the JSON document, or one event per line as printed by `trestle session export --json`.
 * Throws `request.invalid`, with the problem and its location, and `history.changed` if an event is not as recorded.
 * `unverified`: reads it anyway.
 */
export function readExportedSession(text: string, { unverified = false } = {}): ReadSession {
  const content = text.replace(/^\uFEFF/, '')
  if (content.trim() === '') throw invalid('The file is empty.')
  const whole = parseJson(content)
  const { info, values, history } =
    isRecord(whole) && !isEvent(whole)
      ? fromDocument(whole)
      : { info: undefined, values: linesOf(content), history: undefined }
  if (values.length > MAX_EVENTS) throw invalid(`It has more than ${MAX_EVENTS.toLocaleString('en-US')} events.`)
  const about = info ?? sessionInfo.parse(createdIn(values))
  const verified = isUnchanged(about.sessionId, values, history, unverified)
  const events = ordered(values.flatMap((value, index) => eventOf(value, index)))
  if (!events.some(({ type }) => type === 'turn.started')) throw invalid('It has no messages.')
  return { info: about, events, ...(verified !== undefined && { verified }) }
}

/** Undefined if the file has no hashes. */
function isUnchanged(
  sessionId: string,
  values: readonly unknown[],
  history: unknown,
  unverified: boolean,
): boolean | undefined {
  try {
    return checkExportedChain(sessionId, values, history) === undefined ? undefined : true
  } catch (error) {
    if (unverified && error instanceof CodedError && error.code === 'history.changed') return false
    throw error
  }
}

function fromDocument(document: Record<string, unknown>): { info: SessionInfo; values: unknown[]; history: unknown } {
  const { format, version, session, events, history } = document
  if (format !== FORMAT) throw invalid('It is JSON, but not a session exported by Trestle.')
  if (version !== FORMAT_VERSION)
    throw invalid(
      `It was exported by a newer version of Trestle (format ${String(version).slice(0, 20)}). Update Trestle first.`,
    )
  if (!Array.isArray(events)) throw invalid('Its list of events is missing.')
  return { info: sessionInfo.parse(isRecord(session) ? session : {}), values: events, history }
}

function linesOf(content: string): unknown[] {
  const lines = content.split('\n').map((line) => line.trim())
  return lines.flatMap((line, index) => {
    if (line === '') return []
    const value = parseJson(line)
    if (isRecord(value) && isEvent(value)) return [value]
    throw invalid(
      index === 0
        ? 'It is neither JSON nor a list of events.'
        : `Line ${index + 1} is not an event: the file is damaged.`,
    )
  })
}

/** Session information from the events themselves. */
function createdIn(values: readonly unknown[]): Record<string, unknown> {
  const first = values.find((value) => isRecord(value) && value['type'] === 'session.created')
  const any = values.find(isRecord)
  return { ...(isRecord(first) ? first : {}), sessionId: any?.['sessionId'], createdAt: any?.['at'] }
}

function eventOf(value: unknown, index: number): ImportedEvent[] {
  if (!isRecord(value) || !isEvent(value)) throw invalid(`Event ${index + 1} is not an event.`)
  const type = String(value['type'])
  if (!isConversationEvent(type)) return []
  // Only Trestle itself may address the agent as Trestle: a file could contain anything in its name.
  if (type === 'turn.steered' && value['by'] !== 'user') return []
  try {
    return [parseEvent(type, value)]
  } catch (error) {
    if (!(error instanceof z.ZodError)) throw error
    const [problem] = error.issues
    throw invalid(
      `Event ${index + 1} (${type}) is damaged: ${problem?.path.join('.') ?? ''} ${problem?.message ?? ''}.`,
    )
  }
}

/** Validates the events: each belongs to the open turn, and a turn that is still open is closed. */
function ordered(events: readonly ImportedEvent[]): ImportedEvent[] {
  const checked: ImportedEvent[] = []
  let open: string | undefined
  const steps = new Set<string>()
  const calls = new Set<string>()
  /** Calls of the open turn without a result, with the names of their tools. */
  const pending = new Map<string, string>()
  const endCalls = (turnId: string, at: number): void => {
    for (const [callId, name] of pending)
      checked.push({
        type: 'tool.finished',
        turnId,
        callId,
        name,
        content: [{ type: 'text', text: NO_RESULT }],
        isError: true,
        durationMs: 0,
        at,
      })
    pending.clear()
  }
  const close = (at: number): void => {
    if (open !== undefined) endCalls(open, at)
    if (open !== undefined)
      checked.push({ type: 'turn.finished', turnId: open, stop: 'end_turn', steps: 0, durationMs: 0, at })
    open = undefined
  }
  events.forEach((event, index) => {
    const misplaced = (): CodedError =>
      invalid(`Event ${index + 1} (${event.type}) does not follow from those before it.`)
    if (event.type === 'turn.started') {
      close(event.at)
      open = event.turnId
    } else if (event.type !== 'todos.changed' && event.turnId !== open) throw misplaced()
    if (event.type === 'step.started') steps.add(event.stepId)
    if ((event.type === 'step.finished' || event.type === 'tool.started') && !steps.has(event.stepId)) throw misplaced()
    if (event.type === 'step.finished')
      for (const part of event.parts) if (part.type === 'tool_call') pending.set(part.callId, part.name)
    if (event.type === 'tool.started') calls.add(event.callId)
    // Providers refuse a second result of a call, too.
    if (event.type === 'tool.finished' && !calls.delete(event.callId)) throw misplaced()
    if (event.type === 'tool.finished') pending.delete(event.callId)
    if (event.type === 'turn.finished') {
      endCalls(event.turnId, event.at)
      open = undefined
    }
    checked.push(event)
  })
  close(events.at(-1)?.at ?? 0)
  return checked
}

function isEvent(value: Record<string, unknown>): boolean {
  return typeof value['type'] === 'string' && typeof value['at'] === 'number'
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function invalid(why: string): CodedError {
  return new CodedError('request.invalid', `This file cannot be imported. ${why}`)
}
