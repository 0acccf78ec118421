import { ALARM_LIMITS, type Alarm } from '../../../../shared/model/assistant/notification'
import { oneLine, table } from '../../../console/output'
import { parseAction, refuseAgents, type ActionSpec } from '../../../console/parse-action'
import { UsageError, type Parsed } from '../../../console/parse-command'
import { reportStart } from '../../../console/report'
import { createEngine } from '../../../engine/engine'
import type { Engine } from '../../../engine/engine-api'

const ONE = { words: [1, 1], takes: 'the id of an alarm', humanOnly: true } as const
const ACTIONS = {
  list: { options: ['json', 'all'], words: [0, 0], takes: 'no arguments' },
  set: { options: ['json'], words: [2, 2], takes: 'a time and a label', humanOnly: true },
  snooze: { options: ['json', 'minutes'], ...ONE },
  stop: { options: ['json'], ...ONE },
  cancel: { options: ['json'], words: [1, 100], takes: 'the ids of alarms', humanOnly: true },
  restore: { options: ['json'], ...ONE },
} satisfies Record<string, ActionSpec>

/** `trestle alarm`: lists and changes alarms. Returns the exit code: 0, or 2 when it is not allowed. */
export async function alarmMain(parsed: Parsed, version: string): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('alarm', ACTIONS, parsed)
  const { humanOnly }: ActionSpec = ACTIONS[action]
  if (humanOnly && (await refuseAgents(`alarm ${action}`))) return 2
  const { json, all, minutes } = parsed.values
  const snoozeMinutes = minutesOf(minutes)
  const say = (value: unknown, text: string): void =>
    void process.stdout.write(json === true ? `${JSON.stringify(value)}\n` : text)
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  try {
    reportStart(engine)
    run(engine, { action, words, all: all === true, minutes: snoozeMinutes, say })
    return 0
  } finally {
    await engine.close()
  }
}

interface AlarmCall {
  action: keyof typeof ACTIONS
  words: readonly string[]
  all: boolean
  minutes: number | undefined
  say(value: unknown, text: string): void
}

function run({ alarms }: Engine, { action, words, all, minutes, say }: AlarmCall): void {
  const [first = '', second = ''] = words
  switch (action) {
    case 'list': {
      const found = alarms.list(!all)
      return say(
        found,
        found.length === 0 ? 'There are no alarms.\n' : table(['Id', 'When', 'State', 'Label'], found.map(row)),
      )
    }
    case 'set': {
      const label = second.trim()
      if (label === '' || label.length > ALARM_LIMITS.labelChars)
        throw wrong(`The label has 1 to ${ALARM_LIMITS.labelChars} characters.`)
      const alarm = alarms.set(first, label)
      return say(alarm, `Set ${alarm.id} for ${when(alarm)}.\n`)
    }
    case 'cancel': {
      const cancelled = words.map((id) => alarms.cancel(id))
      return say(
        cancelled,
        cancelled
          .map(({ id, label }) => `Cancelled ${oneLine(label)}. To restore: trestle alarm restore ${id}\n`)
          .join(''),
      )
    }
    case 'snooze': {
      const alarm = alarms.snooze(first, minutes)
      return say(alarm, `It rings again at ${when(alarm)}.\n`)
    }
    case 'stop':
      return say(alarms.stop(first), 'Stopped.\n')
    case 'restore': {
      const alarm = alarms.restore(first)
      return say(alarm, `Restored; it rings at ${when(alarm)}.\n`)
    }
  }
}

function row(alarm: Alarm): string[] {
  return [alarm.id, when(alarm), alarm.status, oneLine(alarm.label)]
}

function when({ at }: Alarm): string {
  return new Date(at).toLocaleString('sv')
}

function minutesOf(value: Parsed['values'][string]): number | undefined {
  if (value === undefined) return undefined
  if (typeof value === 'string' && /^[1-9]\d{0,3}$/.test(value) && Number(value) <= ALARM_LIMITS.snoozeMinutes)
    return Number(value)
  throw wrong(`--minutes is a whole number from 1 to ${ALARM_LIMITS.snoozeMinutes}.`)
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'alarm')
}
