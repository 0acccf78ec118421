import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import { PERMISSION_MODES, type PermissionMode } from '../../../shared/model/approval/approval'
import {
  type Schedule,
  type ScheduleInput,
  type ScheduleRunLimits,
  mailSource,
  momentText,
  NEW_MAIL,
  noNextText,
  quietText,
  RUN_STATUS_TEXT,
  timeSource,
  whenText,
  withTime,
} from '../../../shared/model/assistant/schedule'
import { oneLine, table } from '../../console/output'
import { parseAction, refuseAgents, type ActionSpec } from '../../console/parse-action'
import { UsageError, type Parsed } from '../../console/parse-command'
import { reportStart } from '../../console/report'
import { createEngine } from '../../engine/engine'
import type { Engine } from '../../engine/engine-api'

/** Which mail starts a schedule: an option for each part of the filter. */
const MAIL = ['mail-account', 'mail-folder', 'mail-from', 'mail-subject', 'mail-text'] as const
const CONTENT = [
  'name',
  'time',
  'on-mail',
  ...MAIL,
  'zone',
  'prompt',
  'project',
  'no-project',
  'agent',
  'model',
  'permission-mode',
  'max-steps',
  'max-minutes',
  'max-tokens',
  'heartbeat',
  'quiet',
] as const
const READ_ONE = { options: ['json'], words: [1, 1], takes: 'the id or the name of a schedule' } as const
const ONE = { ...READ_ONE, humanOnly: true } as const
const SERVICE = { options: ['json', 'yes'], words: [0, 0], takes: 'no arguments', humanOnly: true } as const
const ACTIONS = {
  list: { options: ['json', 'deleted'], words: [0, 0], takes: 'no arguments' },
  show: READ_ONE,
  create: { options: ['json', ...CONTENT], words: [0, 0], takes: 'only options', humanOnly: true },
  update: { ...ONE, options: ['json', ...CONTENT] },
  delete: ONE,
  restore: ONE,
  pause: ONE,
  resume: ONE,
  'run-now': ONE,
  history: { ...READ_ONE, options: ['json', 'limit'] },
  run: { options: ['home'], words: [0, 0], takes: 'no arguments', humanOnly: true },
  install: SERVICE,
  uninstall: SERVICE,
} satisfies Record<string, ActionSpec>

/**
 * `trestle schedule`: reads, changes and runs schedules. Returns the exit code: 0, 1 when it failed, or 2 when it is
 * not allowed.
 */
export async function scheduleMain(parsed: Parsed, version: string): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('schedule', ACTIONS, parsed)
  const { humanOnly }: ActionSpec = ACTIONS[action]
  if (humanOnly && (await refuseAgents(`schedule ${action}`))) return 2
  const { values } = parsed
  const json = values['json'] === true
  if (action === 'install' || action === 'uninstall') {
    const { installService, uninstallService } = await import('./schedule-service')
    return (action === 'install' ? installService : uninstallService)({ yes: values['yes'] === true, json })
  }
  if (action === 'run') {
    // A task of the Task Scheduler cannot set environment variables.
    if (typeof values['home'] === 'string') process.env['TRESTLE_HOME'] = values['home']
    const { runSchedules } = await import('./schedule-run')
    return runSchedules(version)
  }
  const [id = ''] = words
  if (action === 'run-now') return runNow(id, json, version)
  const say = (value: unknown, text: string): void =>
    void process.stdout.write(json ? `${JSON.stringify(value)}\n` : text)
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  const { schedule } = engine
  try {
    reportStart(engine)
    switch (action) {
      case 'list': {
        const overview = await schedule.overview(values['deleted'] === true)
        say(overview, listText(overview.schedules, values['deleted'] === true))
        break
      }
      case 'show': {
        const found = await schedule.get(id)
        say(found, showText(found))
        break
      }
      case 'create': {
        const made = await schedule.create({ ...missing(values), ...changesFrom(values) })
        say(made, `Created ${made.id}. Next run: ${nextText(made)}.\n${offText(engine, made)}`)
        break
      }
      case 'update': {
        const before = await schedule.get(id)
        const changed = await schedule.change(before.id, merged(before, values))
        say(changed, `Changed ${changed.id}. Next run: ${nextText(changed)}.\n`)
        break
      }
      case 'delete': {
        const deleted = await schedule.remove(id)
        say(deleted, `Deleted ${oneLine(deleted.name)}. To restore: trestle schedule restore ${deleted.id}\n`)
        break
      }
      case 'restore': {
        const restored = await schedule.restore(id)
        say(restored, `Restored ${oneLine(restored.name)}. Next run: ${nextText(restored)}.\n`)
        break
      }
      case 'pause':
      case 'resume': {
        const changed = await schedule.setPaused(id, action === 'pause')
        say(
          changed,
          `${action === 'pause' ? 'Paused' : 'Resumed'} ${oneLine(changed.name)}. Next run: ${nextText(changed)}.\n`,
        )
        break
      }
      case 'history': {
        const found = await schedule.get(id)
        const history = await schedule.history(found.id, 0, limitOf(values['limit']))
        const rows = history.runs.map((run) => [
          momentText(run.startedAt, found.zone),
          RUN_STATUS_TEXT[run.status],
          run.sessionId ?? '',
          oneLine([run.missed > 0 ? `${run.missed} missed before.` : '', run.note ?? ''].join(' ').trim()),
        ])
        say(history, rows.length === 0 ? 'No runs yet.\n' : table(['Started', 'Result', 'Session', 'Note'], rows))
      }
    }
    return 0
  } finally {
    await engine.close()
  }
}

/** Runs a schedule in this process, until the run has ended or is waiting for the user. */
async function runNow(id: string, json: boolean, version: string): Promise<number> {
  const { backgroundEngine } = await import('./schedule-run')
  const engine = await backgroundEngine(version)
  try {
    reportStart(engine)
    const started = await engine.schedule.runNow(id)
    if (!json)
      process.stderr.write(`Running${started.sessionId === undefined ? '' : ` in the session ${started.sessionId}`}…\n`)
    await engine.schedule.settled()
    const { runs } = await engine.schedule.history(started.scheduleId, 0, 10)
    const run = runs.find((one) => one.id === started.id) ?? started
    const text = run.status === 'running' ? 'It waits for your answer in the inbox' : RUN_STATUS_TEXT[run.status]
    process.stdout.write(
      json ? `${JSON.stringify(run)}\n` : `${text}${run.note === undefined ? '' : `: ${oneLine(run.note)}`}\n`,
    )
    return run.status === 'failed' || run.status === 'interrupted' ? 1 : 0
  } finally {
    await engine.close()
  }
}

type Values = Parsed['values']

function text(values: Values, name: string): string | undefined {
  const value = values[name]
  return typeof value === 'string' ? value : undefined
}

/** The required options of a new schedule. */
function missing(values: Values): Pick<ScheduleInput, 'name' | 'time' | 'prompt'> {
  const [name, prompt] = ['name', 'prompt'].map((option) => text(values, option))
  const { time } = timeOf(values)
  if (!name || !time || !prompt) throw wrong('create needs --name, --prompt, and --time or --on-mail.')
  return { name, time, prompt }
}

/** The fields of a schedule that the options set. */
function changesFrom(values: Values): Partial<ScheduleInput> {
  const mode = text(values, 'permission-mode')
  const known = PERMISSION_MODES.find((one) => one === mode) satisfies PermissionMode | undefined
  const limits = limitsOf(values)
  return {
    ...timeOf(values),
    ...pick(values, ['name', 'zone', 'prompt', 'agent', 'model', 'quiet']),
    ...folderOf(values),
    ...(known && { mode: known }),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(values['heartbeat'] === true && { heartbeat: true }),
  }
}

function pick<Name extends string>(values: Values, names: readonly Name[]): Partial<Record<Name, string>> {
  const found: Partial<Record<Name, string>> = {}
  for (const name of names) {
    const value = text(values, name)
    if (value !== undefined) found[name] = value
  }
  return found
}

/** When it runs: at a time, or when mail matches its filter. */
function timeOf(values: Values): Pick<Partial<ScheduleInput>, 'time' | 'mail'> {
  const time = text(values, 'time')
  const filter = MAIL.flatMap((option) => {
    const value = text(values, option)
    return value === undefined ? [] : [[option.slice('mail-'.length), value]]
  })
  if (time !== undefined && (values['on-mail'] === true || filter.length > 0))
    throw wrong('--time and --on-mail with its filter cannot be combined.')
  if (values['on-mail'] !== true && filter.length === 0) return time === undefined ? {} : { time }
  return { time: NEW_MAIL, mail: Object.fromEntries(filter) }
}

function folderOf(values: Values): { folder?: string } {
  if (values['no-project'] === true) {
    if (values['project'] !== undefined) throw wrong('--project and --no-project cannot be combined.')
    return { folder: '' }
  }
  const folder = text(values, 'project')
  if (folder === undefined) return {}
  try {
    return { folder: realpathSync(resolve(folder)) }
  } catch {
    throw wrong(`--project: there is no folder ${folder}.`)
  }
}

function limitsOf(values: Values): ScheduleRunLimits {
  const limits: ScheduleRunLimits = {}
  for (const key of ['steps', 'minutes', 'tokens'] as const) {
    const value = text(values, `max-${key}`)
    if (value === undefined) continue
    if (!/^[1-9]\d{0,8}$/.test(value)) throw wrong(`--max-${key} is a whole number; not "${value}".`)
    limits[key] = Number(value)
  }
  return limits
}

function merged(before: Schedule, values: Values): ScheduleInput {
  const { name, time, zone, prompt, mode, limits, heartbeat, folder, agent, model } = before
  const changes = changesFrom(values)
  const mail = mailSource(time)
  const input: ScheduleInput = {
    name,
    time: timeSource(time, zone),
    zone,
    prompt,
    mode,
    heartbeat: heartbeat !== undefined,
    ...(heartbeat?.quiet && { quiet: quietText(heartbeat.quiet) }),
    ...(folder !== undefined && { folder }),
    ...(agent !== undefined && { agent }),
    ...(model !== undefined && { model }),
    ...(mail && { mail }),
  }
  // Without --on-mail, the other parts of the filter stay unchanged.
  return withTime(input, {
    ...changes,
    ...(changes.mail && { mail: values['on-mail'] === true ? changes.mail : { ...mail, ...changes.mail } }),
    limits: { ...limits, ...changes.limits },
  })
}

function listText(schedules: readonly Schedule[], isDeleted: boolean): string {
  if (schedules.length === 0)
    return isDeleted ? 'Nothing was deleted.\n' : 'There are no schedules. Create one with: trestle schedule create\n'
  const rows = schedules.map((schedule) => [
    schedule.id,
    oneLine(schedule.name),
    whenText(schedule),
    nextText(schedule),
    schedule.lastRun
      ? `${RUN_STATUS_TEXT[schedule.lastRun.status]} ${momentText(schedule.lastRun.startedAt, schedule.zone)}`
      : '',
  ])
  return table(['Id', 'Name', 'When', 'Next', 'Last'], rows)
}

function showText(schedule: Schedule): string {
  const { id, name, zone, mode, folder, agent, model, limits, heartbeat, prompt, failures } = schedule
  const rows = [
    ['Id', id],
    ['When', `${whenText(schedule)} (${zone})`],
    ['Next', nextText(schedule)],
    ['Folder', folder ?? 'a private folder for each run'],
    ['Mode', mode],
    ...(agent === undefined ? [] : [['Agent', agent]]),
    ...(model === undefined ? [] : [['Model', model]]),
    ...Object.entries(limits).map(([what, most]) => [`Most ${what}`, String(most)]),
    ...(heartbeat ? [['Heartbeat', heartbeat.quiet ? `quiet ${quietText(heartbeat.quiet)}` : 'yes']] : []),
    ...(failures > 0 ? [['Failures in a row', String(failures)]] : []),
  ]
  return (
    `${oneLine(name)}\n\n` +
    `${rows.map(([what = '', value = '']) => `${what.padEnd(18)} ${value}\n`).join('')}\n${prompt}\n`
  )
}

function nextText({ isPaused, nextAt, time, zone }: Schedule): string {
  if (isPaused) return 'none, it is paused'
  return nextAt === undefined ? noNextText(time) : momentText(nextAt, zone)
}

function offText({ settings }: Engine, { time }: Schedule): string {
  const isOn = (wanted: string): boolean =>
    settings.view().features.some(({ feature, enabled }) => feature === wanted && enabled)
  if (!isOn('scheduling'))
    return 'Schedules are off, so it does not run yet: turn them on in the settings, under Features.\n'
  return time.kind === 'mail' && !isOn('mail')
    ? 'Mail is off, so no message starts it yet. Turn it on in the settings, under Features.\n'
    : ''
}

function limitOf(value: Values[string]): number {
  if (value === undefined) return 20
  if (typeof value === 'string' && /^[1-9]\d{0,2}$/.test(value) && Number(value) <= 500) return Number(value)
  throw wrong(`--limit is a whole number from 1 to 500; not "${String(value)}".`)
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'schedule')
}
