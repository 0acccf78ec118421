import { z } from 'zod'
import { PERMISSION_MODES, type PermissionMode } from '../../../../shared/model/approval'
import { failureOf } from '../../../../shared/errors'
import {
  SCHEDULE_LIMITS,
  type Schedule,
  type ScheduleHistory,
  type ScheduleInput,
  type ScheduleRun,
  type ScheduleSpec,
  type TimePreview,
} from '../../../../shared/model/schedule'
import { momentText, quietText, RUN_STATUS_TEXT, timeSource, timeText } from '../../../../shared/model/schedule-text'
import type { Preview } from '../../../../shared/model/preview'
import { failed, ok, type Access, type PreparedCall, type Refusal, type Tool, type ToolResult } from '../tool'

/** Who creates or changes a schedule: what it may do without asking at most, and its session. */
interface Author {
  mode: PermissionMode
  sessionId?: string
}

/** What the tools of a session do with schedules. */
export interface SessionSchedules {
  /** Loaded when it is first used. */
  schedules(): Promise<{
    list(): Schedule[]
    find(idOrName: string): Schedule
    check(input: Pick<ScheduleInput, 'time' | 'zone' | 'heartbeat' | 'quiet'>): TimePreview
    read(input: ScheduleInput, author: Author, before?: Schedule): Promise<ScheduleSpec>
    create(input: ScheduleInput, author: Author): Promise<Schedule>
    change(id: string, input: ScheduleInput, author: Author): Promise<Schedule>
    setPaused(id: string, isPaused: boolean, author: Author): Schedule
    remove(id: string): Schedule
    assertMode(mode: PermissionMode, author: Author): void
    history(id: string, offset: number, limit: number): ScheduleHistory
  }>
  author(): Author
  /** The session's project; undefined: none. */
  folder(): string | undefined
  /** Call with the result of a change. */
  did<Result>(result: Result): Result
  runNow(id: string): Promise<ScheduleRun>
  now(): number
}

/** Results of assistant tools are short. */
const MAX_RESULT_CHARS = 8_000
const SHOWN_RUNS = 10
const CHANGES = {
  brief: true,
  maxResultChars: MAX_RESULT_CHARS,
  annotations: { readOnly: false, destructive: false, idempotent: false, openWorld: false },
} as const

const id = z.string().trim().min(1).max(100).describe('The id or the name of a schedule')
const limits = z.strictObject({
  steps: z.int().min(1).max(1000).optional(),
  minutes: z.int().min(1).max(10_080).optional(),
  tokens: z.int().min(1000).max(1_000_000_000).optional(),
})
const fields = {
  name: z.string().trim().min(1).max(SCHEDULE_LIMITS.nameChars),
  time: z.string().trim().min(1).max(200).describe('Cron, 2026-12-01T09:00, "every 2 h" or "weekdays at 9:00"'),
  prompt: z
    .string()
    .trim()
    .min(1)
    .max(SCHEDULE_LIMITS.promptChars)
    .describe('What the agent of a run is told; it knows nothing else'),
  zone: z.string().trim().max(100).optional().describe('IANA time zone; default: that of this machine'),
  folder: z.string().max(4096).optional().describe('Absolute path; default: the project of this session'),
  agent: z.string().trim().max(100).optional(),
  model: z.string().trim().max(200).optional(),
  mode: z.enum(PERMISSION_MODES).optional().describe('Default: ask'),
  limits: limits.optional(),
  heartbeat: z.boolean().optional().describe('It only reports what needs attention'),
  quiet: z.string().trim().max(20).optional().describe('Quiet hours of a heartbeat, e.g. 22:00-07:00'),
}
const createInput = z.strictObject(fields)
const updateInput = z.strictObject({
  id,
  ...z.strictObject(fields).partial().shape,
  paused: z.boolean().optional(),
})

/** The tools that run prompts at set times, for one session. */
export function scheduleTools(session: SessionSchedules): readonly Tool[] {
  return [createTool(session), listTool(session), updateTool(session), deleteTool(session), runNowTool(session)]
}

function createTool(session: SessionSchedules): Tool {
  return {
    name: 'ScheduleCreate',
    description:
      'Runs a prompt at set times, each in a session of its own. time: cron, 2026-12-01T09:00, "every 2 h" or "weekdays at 9:00". heartbeat: reports only what needs attention, nothing in quiet hours ("22:00-07:00").',
    input: createInput,
    ...CHANGES,
    prepare: (given) =>
      prepared(async () => {
        const input = withFolder(session, createInput.parse(given))
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
      }),
  }
}

function listTool(session: SessionSchedules): Tool {
  const input = z.strictObject({ id: id.optional() })
  return {
    name: 'ScheduleList',
    description: 'Lists the schedules with their ids; with id, shows one with its prompt and latest runs.',
    input,
    ...CHANGES,
    annotations: { ...CHANGES.annotations, readOnly: true, idempotent: true },
    async prepare(given) {
      const wanted = input.parse(given)
      return {
        summary: wanted.id ?? 'all',
        accesses: [],
        run: () =>
          attempt(async () => {
            const schedules = await session.schedules()
            if (wanted.id !== undefined) {
              const schedule = schedules.find(wanted.id)
              const { runs } = schedules.history(schedule.id, 0, SHOWN_RUNS)
              return [line(schedule), ...specLines(schedule), ...runs.map((run) => runLine(run, schedule.zone))].join(
                '\n',
              )
            }
            const all = schedules.list()
            return all.length === 0 ? 'There are no schedules.' : all.map(line).join('\n')
          }),
      }
    },
  }
}

function updateTool(session: SessionSchedules): Tool {
  return {
    name: 'ScheduleUpdate',
    description: 'Changes what is given, pauses or resumes. An empty text restores a default.',
    input: updateInput,
    ...CHANGES,
    prepare: (given) =>
      prepared(async () => {
        const { id: wanted, paused, ...changes } = updateInput.parse(given)
        const schedules = await session.schedules()
        const before = schedules.find(wanted)
        const hasChanges = Object.keys(changes).length > 0
        const input = { ...inputOf(before), ...changes }
        if (changes.heartbeat === false) delete input.quiet
        const author = session.author()
        // Also when only its prompt changes: it would be carried out in the mode that it has.
        const spec = await schedules.read(input, author, before)
        const what = paused === undefined ? '' : paused ? ', paused' : ', resumed'
        return {
          summary: `${before.name}${what}`,
          accesses: accessesOf(spec),
          preview: async () => previewOf(spec, schedules.check(input).next, paused),
          run: () =>
            attempt(async () => {
              let changed = hasChanges ? await schedules.change(before.id, input, session.author()) : before
              if (paused !== undefined) changed = schedules.setPaused(before.id, paused, session.author())
              return `Changed ${session.did(changed).id}. ${nextText(changed)}`
            }),
        }
      }),
  }
}

function deleteTool(session: SessionSchedules): Tool {
  const input = z.strictObject({ id })
  return {
    name: 'ScheduleDelete',
    description: 'Deletes a schedule; its sessions stay.',
    input,
    ...CHANGES,
    prepare: (given) =>
      prepared(async () => {
        const schedules = await session.schedules()
        const schedule = schedules.find(input.parse(given).id)
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
      }),
  }
}

function runNowTool(session: SessionSchedules): Tool {
  const input = z.strictObject({ id })
  return {
    name: 'ScheduleRunNow',
    description: 'Starts a run of a schedule now.',
    input,
    ...CHANGES,
    prepare: (given) =>
      prepared(async () => {
        const schedules = await session.schedules()
        const schedule = schedules.find(input.parse(given).id)
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
      }),
  }
}

/** The folder of a new schedule: the session's project unless it names one. */
function withFolder(session: SessionSchedules, input: z.infer<typeof createInput>): ScheduleInput {
  const folder = input.folder ?? session.folder()
  return { ...input, ...(folder !== undefined && { folder }) }
}

/** What was given for a schedule, to change a part of it. */
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
  }
}

/** Runs work in the folder: one outside the project asks. */
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
  time,
  zone,
  folder,
  agent,
  model,
  mode,
  limits: most,
  heartbeat,
  prompt,
}: ScheduleSpec): string[] {
  const limited = [
    most.steps !== undefined && `${most.steps} steps`,
    most.minutes !== undefined && `${most.minutes} min`,
    most.tokens !== undefined && `${most.tokens} tokens`,
  ].filter((text) => text !== false)
  return [
    `Name: ${name}`,
    `When: ${timeText(time, zone)} (${zone})`,
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
  const { id: itsId, name, time, zone, mode, lastRun } = schedule
  const last = lastRun && `last ${RUN_STATUS_TEXT[lastRun.status].toLowerCase()} ${momentText(lastRun.startedAt, zone)}`
  return `- ${itsId} ${name}: ${[timeText(time, zone), nextText(schedule), mode, last].filter(Boolean).join('; ')}`
}

function nextText({ isPaused, nextAt, zone }: Schedule): string {
  if (isPaused) return 'paused'
  return nextAt === undefined ? 'no further run' : `next ${momentText(nextAt, zone)} ${zone}`
}

function runLine({ status, startedAt, missed, note, sessionId }: ScheduleRun, zone: string): string {
  const about = [sessionId, missed > 0 && `${missed} missed before`, note?.replaceAll(/\s+/g, ' ')].filter(Boolean)
  return `- ${momentText(startedAt, zone)} ${RUN_STATUS_TEXT[status]}${about.length === 0 ? '' : `: ${about.join('; ')}`}`
}

/** The call; a refusal becomes a message that the model can act on. */
async function prepared(work: () => Promise<PreparedCall>): Promise<PreparedCall | Refusal> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof z.ZodError) throw error
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
  return `${message} ${advice}`.trim()
}
