import { sentence } from '../../../../shared/error-text'
import type { PermissionMode } from '../../../../shared/model/approval/approval'
import { failureOf } from '../../../../shared/errors'
import {
  type Schedule,
  type ScheduleHistory,
  type ScheduleInput,
  type ScheduleRun,
  type ScheduleSpec,
  type TimePreview,
  mailSource,
  momentText,
  noNextText,
  quietText,
  RUN_STATUS_TEXT,
  timeSource,
  timeText,
  whenText,
  withTime,
} from '../../../../shared/model/assistant/schedule'
import type { Preview } from '../../../../shared/model/approval/preview'
import { failed, ok, type Access, type PreparedCall, type Refusal, type ToolResult } from '../tool'
import type { CreateInput, UpdateInput } from './schedule-inputs'

/** Who creates or changes a schedule: the mode that the schedule's own mode must not exceed, and the session. */
interface Author {
  mode: PermissionMode
  sessionId?: string
}

/** What a session's tools need for schedules. */
export interface SessionSchedules {
  /** Loaded on first use. */
  schedules(): Promise<{
    list(): Schedule[]
    find(idOrName: string): Schedule
    check(input: Pick<ScheduleInput, 'time' | 'mail' | 'zone' | 'heartbeat' | 'quiet'>): TimePreview
    read(input: ScheduleInput, author: Author, before?: Schedule): Promise<ScheduleSpec>
    create(input: ScheduleInput, author: Author): Promise<Schedule>
    change(id: string, input: ScheduleInput, author: Author): Promise<Schedule>
    setPaused(id: string, isPaused: boolean, author: Author): Schedule
    remove(id: string): Schedule
    assertMode(mode: PermissionMode, author: Author): void
    history(id: string, offset: number, limit: number): ScheduleHistory
  }>
  author(): Author
  /** The session's project; undefined without a project. */
  folder(): string | undefined
  /** Call with the result of a change. */
  did<Result>(result: Result): Result
  runNow(id: string): Promise<ScheduleRun>
  now(): number
}

const SHOWN_RUNS = 10

type Prepared = Promise<PreparedCall | Refusal>

/** Prepares the calls of a session's schedule tools. */
export interface ScheduleCalls {
  create(input: CreateInput): Prepared
  list(id: string | undefined): Prepared
  update(input: UpdateInput): Prepared
  remove(id: string): Prepared
  runNow(id: string): Prepared
}

export function scheduleCalls(session: SessionSchedules): ScheduleCalls {
  return {
    create: (input) => prepared(() => createCall(session, input)),
    list: async (id) => listCall(session, id),
    update: (input) => prepared(() => updateCall(session, input)),
    remove: (id) => prepared(() => deleteCall(session, id)),
    runNow: (id) => prepared(() => runNowCall(session, id)),
  }
}

async function createCall(session: SessionSchedules, given: CreateInput): Promise<PreparedCall> {
  const input = withFolder(session, given)
  const schedules = await session.schedules()
  const spec = await schedules.read(input, session.author())
  return {
    summary: `${spec.name}, ${timeText(spec.time, spec.zone)}`,
    accesses: accessesOf(spec),
    preview: async () => previewOf(spec, schedules.check(input).next),
    run: () =>
      attempt(async () => {
        const made = session.did(await schedules.create(input, session.author()))
        return `Created ${made.id}. ${nextText(made)}`
      }),
  }
}

function listCall(session: SessionSchedules, id: string | undefined): PreparedCall {
  return {
    summary: id ?? 'all',
    accesses: [],
    run: () =>
      attempt(async () => {
        const schedules = await session.schedules()
        if (id !== undefined) {
          const schedule = schedules.find(id)
          const { runs } = schedules.history(schedule.id, 0, SHOWN_RUNS)
          return [line(schedule), ...specLines(schedule), ...runs.map((run) => runLine(run, schedule.zone))].join('\n')
        }
        const all = schedules.list()
        return all.length === 0 ? 'There are no schedules.' : all.map(line).join('\n')
      }),
  }
}

async function updateCall(session: SessionSchedules, given: UpdateInput): Promise<PreparedCall> {
  const { id, paused, ...changes } = given
  const schedules = await session.schedules()
  const before = schedules.find(id)
  const hasChanges = Object.keys(changes).length > 0
  const input: ScheduleInput = withTime(inputOf(before), changes)
  if (changes.heartbeat === false) delete input.quiet
  // Even if only the prompt changes, because it would run in the schedule's existing mode.
  const spec = await schedules.read(input, session.author(), before)
  const next = hasChanges && spec.time !== before.time ? schedules.check(input).next : []
  return {
    summary: `${before.name}${paused === undefined ? '' : paused ? ', paused' : ', resumed'}`,
    accesses: accessesOf(spec),
    preview: async () => previewOf(spec, next, paused),
    run: () =>
      attempt(async () => {
        let changed = hasChanges ? await schedules.change(before.id, input, session.author()) : before
        if (paused !== undefined) changed = schedules.setPaused(before.id, paused, session.author())
        return `Changed ${session.did(changed).id}. ${nextText(changed)}`
      }),
  }
}

async function deleteCall(session: SessionSchedules, id: string): Promise<PreparedCall> {
  const schedules = await session.schedules()
  const schedule = schedules.find(id)
  return {
    summary: schedule.name,
    accesses: [],
    preview: async () => previewOf(schedule, []),
    run: () =>
      attempt(async () => {
        session.did(schedules.remove(schedule.id))
        return `Deleted ${JSON.stringify(schedule.name)}. The user can restore it for 30 days.`
      }),
  }
}

async function runNowCall(session: SessionSchedules, id: string): Promise<PreparedCall> {
  const schedules = await session.schedules()
  const schedule = schedules.find(id)
  schedules.assertMode(schedule.mode, session.author())
  return {
    summary: schedule.name,
    accesses: accessesOf(schedule),
    preview: async () => previewOf(schedule, []),
    run: () =>
      attempt(async () => {
        const run = await session.runNow(schedule.id)
        if (run.status === 'failed') throw new Error(run.note ?? 'The run could not start.')
        return `Started; it runs in the session ${run.sessionId ?? ''}. ScheduleList shows how it ends.`
      }),
  }
}

/** The folder of a new schedule: the session's project unless it names one. */
function withFolder(session: SessionSchedules, input: CreateInput): ScheduleInput {
  const folder = input.folder ?? session.folder()
  return { ...input, ...(folder !== undefined && { folder }) }
}

/** The input that a schedule was created from, to change part of it. */
function inputOf({
  name,
  time,
  zone,
  prompt,
  folder,
  agent,
  model,
  mode,
  limits: itsLimits,
  heartbeat,
}: ScheduleSpec): ScheduleInput {
  const mail = mailSource(time)
  return {
    name,
    time: timeSource(time, zone),
    zone,
    prompt,
    mode,
    limits: itsLimits,
    heartbeat: heartbeat !== undefined,
    ...(heartbeat?.quiet && { quiet: quietText(heartbeat.quiet) }),
    ...(folder !== undefined && { folder }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(mail && { mail }),
  }
}

/** A schedule runs work in its folder, so a folder outside the project asks. */
function accessesOf({ folder }: Pick<ScheduleSpec, 'folder'>): Access[] {
  return folder === undefined ? [] : [{ kind: 'tree', path: folder, write: false }]
}

function previewOf(spec: ScheduleSpec, next: readonly number[], paused?: boolean): Preview {
  const lines = [
    ...specLines(spec),
    ...(next.length > 0 ? [`Next: ${next.map((at) => momentText(at, spec.zone)).join(', ')}`] : []),
    ...(paused === undefined ? [] : [paused ? 'It is paused.' : 'It is resumed.']),
  ]
  return { kind: 'text', text: lines.join('\n') }
}

function specLines({
  name,
  isDamaged,
  time,
  zone,
  folder,
  agent,
  model,
  mode,
  limits: most,
  heartbeat,
  prompt,
}: ScheduleSpec & Pick<Schedule, 'isDamaged'>): string[] {
  const limited = [
    most.steps !== undefined && `${most.steps} steps`,
    most.minutes !== undefined && `${most.minutes} min`,
    most.tokens !== undefined && `${most.tokens} tokens`,
  ].filter((text) => text !== false)
  return [
    `Name: ${name}`,
    `When: ${whenText({ ...(isDamaged && { isDamaged }), time, zone })} (${zone})`,
    `Folder: ${folder ?? 'a private folder for each run'}`,
    `Mode: ${mode}`,
    ...(agent === undefined ? [] : [`Agent: ${agent}`]),
    ...(model === undefined ? [] : [`Model: ${model}`]),
    ...(limited.length === 0 ? [] : [`Limits: ${limited.join(', ')}`]),
    ...(heartbeat ? [`Heartbeat${heartbeat.quiet ? `, quiet ${quietText(heartbeat.quiet)}` : ''}`] : []),
    `Prompt: ${prompt}`,
  ]
}

function line(schedule: Schedule): string {
  const { id: itsId, name, zone, mode, lastRun } = schedule
  const last = lastRun && `last ${RUN_STATUS_TEXT[lastRun.status].toLowerCase()} ${momentText(lastRun.startedAt, zone)}`
  return `- ${itsId} ${name}: ${[whenText(schedule), nextText(schedule), mode, last].filter(Boolean).join('; ')}`
}

function nextText({ isPaused, nextAt, time, zone }: Schedule): string {
  if (isPaused) return 'paused'
  return nextAt === undefined ? noNextText(time) : `next ${momentText(nextAt, zone)} ${zone}`
}

function runLine({ status, startedAt, missed, note, sessionId }: ScheduleRun, zone: string): string {
  const about = [sessionId, missed > 0 && `${missed} missed before`, note?.replaceAll(/\s+/g, ' ')].filter(Boolean)
  return (
    `- ${momentText(startedAt, zone)} ` +
    `${RUN_STATUS_TEXT[status]}${about.length === 0 ? '' : `: ${about.join('; ')}`}`
  )
}

/** Prepares the call; a refusal becomes a message that the model can act on. */
async function prepared(work: () => Promise<PreparedCall>): Promise<PreparedCall | Refusal> {
  try {
    return await work()
  } catch (error) {
    return { refused: failed(messageOf(error)) }
  }
}

async function attempt(work: () => Promise<string>): Promise<ToolResult> {
  try {
    return ok(await work())
  } catch (error) {
    return failed(messageOf(error))
  }
}

function messageOf(error: unknown): string {
  const { message, advice } = failureOf(error)
  return `${sentence(message)} ${advice}`.trim()
}
