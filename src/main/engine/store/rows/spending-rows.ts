import type { RecordedEvent } from '../../../../shared/events/event'
import type { Usage } from '../../../../shared/model/turn/message'
import type { SessionHeader } from '../../../../shared/model/session/session'
import { projectFolder } from '../../../../shared/model/project/scratch-folder'
import type { LimitScope, UsageGroup, UsageSum } from '../../../../shared/model/turn/usage'
import type { Database } from '../database/database'

/**
 * Spending by day (in local time), session and model. It is added in the transaction of its event, at the prices of
 * that time, and kept when the session is removed. `spending_raise`: what the user added to a limit.
 */
export const SPENDING_TABLES = `
CREATE TABLE spending (
  day TEXT NOT NULL,
  session_id TEXT NOT NULL,
  model TEXT NOT NULL,
  root_id TEXT NOT NULL,
  folder TEXT NOT NULL,
  requests INTEGER NOT NULL,
  input INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cached INTEGER NOT NULL,
  written INTEGER NOT NULL,
  thinking INTEGER NOT NULL,
  cost REAL NOT NULL,
  unpriced INTEGER NOT NULL,
  PRIMARY KEY (day, session_id, model)
) STRICT, WITHOUT ROWID;
CREATE INDEX spending_of_root ON spending (root_id);
CREATE INDEX spending_of_folder ON spending (folder, day);
CREATE TABLE spending_raise (
  key TEXT NOT NULL PRIMARY KEY,
  amount REAL NOT NULL
) STRICT, WITHOUT ROWID;
`

const DAY = (at: string): string => `strftime('%Y-%m-%d', ${at} / 1000, 'unixepoch', 'localtime')`
const SUMS = `sum(requests) AS requests, sum(input) AS input, sum(output) AS output, sum(cached) AS cached,
  sum(written) AS written, sum(thinking) AS thinking, sum(cost) AS cost, sum(unpriced) AS unpriced`

/** Adds the spending recorded in an older store's events. Answers that a fork copied from its original count once. */
export function addRecordedSpending(db: Database): void {
  db.exec(`
    INSERT INTO spending
    SELECT ${DAY('at')} AS day, session_id, model, root_id, folder, count(*), sum(input), sum(output), sum(cached),
      sum(written), sum(thinking), sum(coalesce(cost, 0)), sum(cost IS NULL)
    FROM (
      SELECT min(e.id), e.at, e.session_id, s.folder,
        coalesce(json_extract(h.header, '$.agent.rootId'), e.session_id) AS root_id,
        coalesce(json_extract(e.body, '$.model'), s.model, '') AS model,
        coalesce(json_extract(e.body, '$.usage.input'), 0) AS input,
        coalesce(json_extract(e.body, '$.usage.output'), 0) AS output,
        coalesce(json_extract(e.body, '$.usage.cached'), 0) AS cached,
        coalesce(json_extract(e.body, '$.usage.written'), 0) AS written,
        coalesce(json_extract(e.body, '$.usage.thinking'), 0) AS thinking,
        json_extract(e.body, '$.usage.cost') AS cost
      FROM event e JOIN session s ON s.id = e.session_id LEFT JOIN session_header h ON h.session_id = e.session_id
      WHERE e.type IN ('step.finished', 'compaction.finished', 'sampling.finished', 'title.made')
        AND json_valid(e.body) AND json_type(e.body, '$.usage') = 'object'
      GROUP BY coalesce(json_extract(e.body, '$.stepId'), e.id)
    )
    GROUP BY 1, session_id, model
  `)
}

/** The owner of the spending to sum. */
export interface SpendingOwner {
  /** The main session. */
  rootId: string
  folder: string
}

export interface SpendingRows {
  /** Adds the spending of an event, if any. Call it in the transaction that records the event. */
  add(header: SessionHeader, event: RecordedEvent): void
  /** The sum that a limit applies to. `at`: ms since the epoch. */
  limited(scope: LimitScope, owner: SpendingOwner, at: number): UsageSum & { key: string; day: string }
  raised(key: string, unit: string): number
  raise(key: string, unit: string, amount: number): void
  /** Sums of the last `days` days up to `at`, by key. */
  report(by: UsageGroup, days: number, at: number): (UsageSum & { key: string })[]
  /** The first and the last day of such a report. */
  range(days: number, at: number): { from: string; to: string }
  /** Sums of a session and each of its subagents. */
  family(rootId: string): (UsageSum & { sessionId: string })[]
  own(sessionId: string): UsageSum
}

const GROUPS: Record<UsageGroup, string> = { day: 'day', model: 'model', project: 'folder', session: 'root_id' }
const LIMITED: Record<LimitScope, string> = {
  session: 'root_id = @rootId',
  day: `day = ${DAY('@at')}`,
  project: `folder = @folder AND day >= substr(${DAY('@at')}, 1, 7) AND day <= ${DAY('@at')}`,
}

/** Creates the rows on a migrated database. */
export function createSpendingRows(db: Database): SpendingRows {
  const insert = db.prepare(
    `INSERT INTO spending VALUES (${DAY('@at')}, @sessionId, @model, @rootId, @folder, 1, @input, @output, @cached,
       @written, @thinking, @cost, @unpriced)
     ON CONFLICT DO UPDATE SET requests = requests + 1, input = input + @input, output = output + @output,
       cached = cached + @cached, written = written + @written, thinking = thinking + @thinking, cost = cost + @cost,
       unpriced = unpriced + @unpriced`,
  )
  const limited = (scope: LimitScope) =>
    db.prepare<[{ rootId: string; folder: string; at: number }], Nullable<UsageSum> & { day: string }>(
      `SELECT ${SUMS}, ${DAY('@at')} AS day FROM spending WHERE ` +
        `${LIMITED[scope]} AND @rootId IS NOT NULL AND @folder IS NOT NULL`,
    )
  const raised = db.prepare<[string], number>('SELECT amount FROM spending_raise WHERE key = ?').pluck()
  const raise = db.prepare<[{ key: string; amount: number }]>(
    'INSERT INTO spending_raise VALUES (@key, @amount) ON CONFLICT DO UPDATE SET amount = amount + @amount',
  )
  const first = `strftime('%Y-%m-%d', @at / 1000, 'unixepoch', 'localtime', '-' || (@days - 1) || ' days')`
  return {
    add(header, event) {
      const usage = usageOf(event)
      if (!usage) return
      const { input, output, cached, thinking, written = 0, cost } = usage
      insert.run({
        at: event.at,
        sessionId: header.sessionId,
        model: ('model' in event && event.model) || header.model || '',
        rootId: header.agent?.rootId ?? header.sessionId,
        folder: projectFolder(header.folder),
        input,
        output,
        cached,
        written,
        thinking,
        cost: cost ?? 0,
        unpriced: cost === undefined ? 1 : 0,
      })
    },
    limited(scope, { rootId, folder }, at) {
      const { day, ...sum } = limited(scope).get({ rootId, folder, at })!
      const keys = { session: rootId, day, project: `${day.slice(0, 7)} ${folder}` }
      return { ...sumOf(sum), day, key: `${scope} ${keys[scope]}` }
    },
    raised: (key, unit) => raised.get(`${unit} ${key}`) ?? 0,
    raise: (key, unit, amount) => void raise.run({ key: `${unit} ${key}`, amount }),
    report: (by, days, at) =>
      db
        .prepare<[{ days: number; at: number }], UsageSum & { key: string }>(
          `SELECT ${GROUPS[by]} AS key, ${SUMS} FROM spending WHERE day >= ${first} AND day <= ${DAY('@at')}
           GROUP BY 1 ORDER BY ${by === 'day' ? '1' : 'cost DESC, input + output DESC'}`,
        )
        .all({ days, at }),
    range: (days, at) =>
      db
        .prepare<[{ days: number; at: number }], { from: string; to: string }>(
          `SELECT ${first} AS "from", ${DAY('@at')} AS "to"`,
        )
        .get({ days, at })!,
    family: (rootId) =>
      db
        .prepare<[string], UsageSum & { sessionId: string }>(
          `SELECT session_id AS sessionId, ${SUMS} FROM spending WHERE root_id = ? GROUP BY session_id`,
        )
        .all(rootId),
    own: (sessionId) =>
      sumOf(
        db.prepare<[string], Nullable<UsageSum>>(`SELECT ${SUMS} FROM spending WHERE session_id = ?`).get(sessionId),
      ),
  }
}

type Nullable<Row> = { [Key in keyof Row]: Row[Key] | null }

function sumOf(row: Nullable<UsageSum> | undefined): UsageSum {
  const value = (key: keyof UsageSum): number => row?.[key] ?? 0
  return {
    requests: value('requests'),
    input: value('input'),
    output: value('output'),
    cached: value('cached'),
    written: value('written'),
    thinking: value('thinking'),
    cost: value('cost'),
    unpriced: value('unpriced'),
  }
}

function usageOf(event: RecordedEvent): Usage | undefined {
  switch (event.type) {
    case 'step.finished':
    case 'compaction.finished':
    case 'title.made':
    case 'sampling.finished':
      return event.usage
    default:
      return undefined
  }
}
