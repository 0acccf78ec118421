import { NOTIFICATION_LIMITS, notificationLine } from '../../../../shared/model/assistant/notification'
import { oneLine, table } from '../../../console/output'
import { parseAction, refuseAgents, type ActionSpec } from '../../../console/parse-action'
import { UsageError, type Parsed } from '../../../console/parse-command'
import { reportStart } from '../../../console/report'
import { createEngine } from '../../../engine/engine'
import type { Engine } from '../../../engine/engine-api'

const NUMBERS = { words: [0, 1000], takes: 'the numbers of notifications', humanOnly: true } as const
const ACTIONS = {
  list: { options: ['json', 'limit', 'unread'], words: [0, 0], takes: 'no arguments' },
  read: { options: ['json'], ...NUMBERS },
  clear: { options: ['json'], ...NUMBERS },
  restore: { options: ['json'], words: [1, 1000], takes: 'the numbers of notifications', humanOnly: true },
} satisfies Record<string, ActionSpec>

/**
 * `trestle notification`: reads and changes the list of notifications. Returns the exit code: 0, or 2 when it is not
 * allowed.
 */
export async function notificationMain(parsed: Parsed, version: string): Promise<number> {
  const { action, words } = parseAction<keyof typeof ACTIONS>('notification', ACTIONS, parsed)
  const { humanOnly }: ActionSpec = ACTIONS[action]
  if (humanOnly && (await refuseAgents(`notification ${action}`))) return 2
  const { json, unread, limit } = parsed.values
  const ids = words.map(numberOf)
  const shown = limitOf(limit)
  const say = (value: unknown, text: string): void =>
    void process.stdout.write(json === true ? `${JSON.stringify(value)}\n` : text)
  const engine = await createEngine({ version, watch: false, runsQueue: false })
  const { notifications } = engine
  try {
    reportStart(engine)
    const chosen = ids.length === 0 ? undefined : ids
    switch (action) {
      case 'list':
        list(engine, { limit: shown, onlyUnread: unread === true, say })
        break
      case 'read': {
        const read = notifications.markRead(chosen)
        say({ read }, `Marked ${read} as read.\n`)
        break
      }
      case 'clear': {
        const cleared = notifications.clear(chosen)
        const undo = cleared.length === 0 ? '' : ` To restore: trestle notification restore ${cleared.join(' ')}`
        say({ cleared }, `Cleared ${cleared.length}.${undo}\n`)
        break
      }
      case 'restore': {
        const restored = notifications.restore(ids)
        say({ restored }, `Restored ${restored} of ${ids.length}.\n`)
      }
    }
    return 0
  } finally {
    await engine.close()
  }
}

function list(
  { notifications }: Engine,
  { limit, onlyUnread, say }: { limit: number; onlyUnread: boolean; say(value: unknown, text: string): void },
): void {
  const page = notifications.list(0, onlyUnread ? NOTIFICATION_LIMITS.kept : limit)
  const found = onlyUnread
    ? page.notifications.filter(({ readAt }) => readAt === undefined).slice(0, limit)
    : page.notifications
  const rows = found.map((one) => [
    String(one.id),
    new Date(one.at).toLocaleString('sv').slice(0, 16),
    one.readAt === undefined ? 'unread' : '',
    oneLine(notificationLine(one)),
  ])
  say(
    { ...page, notifications: found },
    found.length === 0 ? 'There are no notifications.\n' : table(['Number', 'When', '', 'Text'], rows),
  )
}

function numberOf(word: string): number {
  if (/^[1-9]\d{0,14}$/.test(word)) return Number(word)
  throw wrong(`${JSON.stringify(word)} is not the number of a notification; trestle notification list shows them.`)
}

function limitOf(value: Parsed['values'][string]): number {
  if (value === undefined) return 50
  if (typeof value === 'string' && /^[1-9]\d{0,3}$/.test(value) && Number(value) <= NOTIFICATION_LIMITS.kept)
    return Number(value)
  throw wrong(`--limit is a whole number from 1 to ${NOTIFICATION_LIMITS.kept}.`)
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'notification')
}
