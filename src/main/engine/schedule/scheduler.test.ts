import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { settle, TestClock } from '../../../../test/support/test-clock'
import type { EventBody } from '../../../shared/events/event'
import type { Schedule, ScheduleInput, SessionSchedule } from '../../../shared/model/assistant/schedule'
import type { SessionHeader } from '../../../shared/model/session/session'
import { openStore } from '../store/open/open-store'
import { createScheduleRows } from '../store/rows/schedule-rows'
import { NOTHING_DUE } from './schedule-run'
import { createScheduler, type SchedulerDeps } from './scheduler'
import { createSchedules } from './schedules'

const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR
const at = (text: string): number => Date.parse(text)

/** Notifies every Trestle process of this home. */
const listeners = new Set<() => void>()
const hear = (): void => {
  for (const listener of listeners) listener()
}

let home: string
const closing: (() => void)[] = []
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'trestle-schedule-'))
})
afterEach(() => {
  for (const close of closing.splice(0).toReversed()) close()
  rmSync(home, { recursive: true, force: true })
})

type Stop = Extract<EventBody, { type: 'turn.finished' }>['stop'] | 'open'
interface Answer {
  stop: Stop
  text?: string
}

/**
 * One Trestle process on the home, with the real store, rows and scheduler; a session answers its prompt immediately or
 * stays open.
 */
function trestle(clock: TestClock, answer: (prompt: string) => Answer = () => ({ stop: 'end_turn' })) {
  const { store, database, duties } = openStore({ home, now: clock.now })
  const rows = createScheduleRows(database)
  let ids = 0
  const newId = (prefix: string): string => `${prefix}-${duties.owner.slice(0, 8)}-${(ids += 1)}`
  const told: string[] = []
  const looks: number[] = []
  const logged: string[] = []
  const prompts: { at: number; prompt: string; sessionId: string }[] = []
  const record = (sessionId: string, ...events: EventBody[]): void => {
    const recorded = store.append(sessionId, events)
    scheduler.recorded(store.header(sessionId)!, recorded)
  }
  const finish = (sessionId: string, { stop, text = 'All is well.' }: Answer): void => {
    if (stop === 'open') return
    record(sessionId, {
      type: 'step.finished',
      turnId: 't',
      stepId: 's',
      parts: [{ type: 'text', text }],
      finish: 'stop',
      durationMs: 1,
    })
    record(sessionId, { type: 'turn.finished', turnId: 't', stop, steps: 1, durationMs: 1 })
  }
  const sessions: SchedulerDeps['sessions'] = {
    async create({ mode = 'ask', schedule }: { mode?: SessionHeader['mode']; schedule?: SessionSchedule }) {
      return store.create({
        sessionId: newId('session'),
        folder: home,
        title: schedule!.name,
        mode,
        addedFolders: [],
        schedule: schedule!,
      })
    },
    async prompt(sessionId, parts) {
      const prompt = parts.map((part) => (part.type === 'text' ? part.text : '')).join('')
      prompts.push({ at: clock.now(), prompt, sessionId })
      record(sessionId, { type: 'turn.started', turnId: 't', promptId: 'p', model: 'm', parts })
      finish(sessionId, answer(prompt))
      return { queued: false }
    },
    async open(sessionId) {
      if (store.header(sessionId)?.turnId !== undefined)
        store.append(sessionId, [{ type: 'turn.finished', turnId: 't', stop: 'interrupted', steps: 0, durationMs: 0 }])
      return { header: store.header(sessionId)!, events: [], hasMore: false }
    },
    async change(sessionId, { archived }) {
      store.append(sessionId, [{ type: 'session.changed', ...(archived !== undefined && { archived }) }])
      return store.header(sessionId)!
    },
    async remove(sessionId) {
      store.remove(sessionId)
    },
    withSession: async (sessionId) => {
      finish(sessionId, { stop: 'cancelled' })
      return undefined as never
    },
    suspend: async () => false,
  }
  const scheduler = createScheduler({
    rows,
    duties,
    store,
    sessions,
    clock,
    newId,
    changes: {
      report(byOther = false) {
        if (!byOther) queueMicrotask(hear)
      },
      listen(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    },
    notify: ({ title, body }) => void told.push(`${title}: ${body}`),
    tellOthers: () => void looks.push(clock.now()),
    mail: { accounts: () => undefined, watch: () => () => undefined },
    hasInbox: true,
    log: (message) => void logged.push(message),
  })
  const schedules = createSchedules({
    rows,
    now: clock.now,
    newId,
    checkAgent: async () => undefined,
    // It takes a second.
    checkModel: async () => void (clock.time += 1_000),
    mailAccounts: () => [],
  })
  const close = (): void => {
    scheduler.stop()
    store.close()
    expect(logged).toEqual([])
  }
  closing.push(close)
  return {
    scheduler,
    schedules,
    rows,
    told,
    logged,
    looks,
    prompts,
    finish,
    record,
    store,
    close() {
      closing.splice(closing.indexOf(close), 1)
      close()
    },
    add: (input: Partial<ScheduleInput> & Pick<ScheduleInput, 'time'>): Promise<Schedule> =>
      schedules.create({ name: 'Check', prompt: 'Check it.', zone: 'Europe/Berlin', ...input }, {}),
    runs: (id: string) => rows.history(id, 0, 10_000).runs.toReversed(),
  }
}

const day = (ms: number): string => new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' }).format(ms)

it('runs every day of a year exactly once, with two Trestles on one home, daylight saving and jumps of the clock', async () => {
  const clock = new TestClock(at('2026-01-01T00:00:00Z'))
  const one = trestle(clock)
  const { id } = await one.add({ time: '30 2 * * *' })
  one.scheduler.begin()
  const two = trestle(clock)
  two.scheduler.begin()
  // Sometimes the clock is wrong by a few minutes and is corrected.
  for (let n = 1; n <= 365; n += 1) {
    if (n % 30 === 0) await clock.jump(clock.time + 20 * MINUTE)
    if (n % 45 === 0) await clock.jump(clock.time - 20 * MINUTE)
    // Jumps by six hours instead of simulating every 30 s of the year: the scheduler checks what is due whenever it
    // wakes.
    for (const hour of [6, 12, 18, 24])
      await clock
        .jump(at('2026-01-01T00:00:00Z') + (n - 1) * DAY + hour * HOUR)
        .then(() => clock.until(clock.time + MINUTE))
  }
  const runs = one.runs(id)
  const days = runs.map(({ dueAt }) => day(dueAt))
  expect(new Set(days).size).toBe(days.length)
  expect(days.length).toBe(365)
  expect(runs.every(({ status, missed }) => status === 'done' && missed === 0)).toBe(true)
  expect(one.prompts).toHaveLength(365)
  expect(two.prompts).toHaveLength(0)
})

it('a time that passes while the schedule is being checked is due', async () => {
  const clock = new TestClock(at('2026-06-01T07:59:59.500Z'))
  const one = trestle(clock)
  one.scheduler.begin()
  const { id } = await one.add({ time: '2026-06-01T08:00:00Z', model: 'm' })
  expect(clock.now()).toBeGreaterThan(at('2026-06-01T08:00:00Z'))
  await clock.until(clock.time + MINUTE)
  expect(one.runs(id)).toMatchObject([{ status: 'done', missed: 0 }])
  await one.schedules.change(id, { name: 'Check', prompt: 'Again.', time: '2026-06-01T08:02:00Z' }, {})
  await clock.until(clock.time + 2 * MINUTE)
  expect(one.runs(id)).toHaveLength(2)
})

it('another Trestle takes over when the one that runs the schedules ends', async () => {
  const clock = new TestClock(at('2026-01-01T00:00:00Z'))
  const one = trestle(clock)
  const { id } = await one.add({ time: 'every 1 h' })
  one.scheduler.begin()
  const two = trestle(clock)
  two.scheduler.begin()
  await clock.until(clock.time + HOUR + MINUTE)
  expect(one.scheduler.service()).toEqual({ runs: 'here' })
  expect(two.scheduler.service()).toMatchObject({
    runs: 'elsewhere',
    where: expect.stringContaining(String(process.pid)),
  })
  one.close()
  await clock.until(clock.time + HOUR)
  expect(two.runs(id).map(({ status }) => status)).toEqual(['done', 'done'])
  expect(two.prompts).toHaveLength(1)
})

it('three days of sleep become one run that names the missed ones, soon after the machine wakes', async () => {
  const clock = new TestClock(at('2026-06-01T00:00:00Z'))
  const one = trestle(clock)
  const { id } = await one.add({ time: '0 * * * *', zone: 'UTC' })
  one.scheduler.begin()
  await clock.until(clock.time + 90 * MINUTE)
  await clock.jump(clock.time + 3 * DAY)
  await clock.until(clock.time + MINUTE)
  const runs = one.runs(id)
  expect(runs.map(({ missed }) => missed)).toEqual([0, 71])
  expect(one.prompts.at(-1)!.prompt).toContain('71 earlier runs that were missed')
  await clock.until(clock.time + HOUR)
  expect(one.runs(id)).toHaveLength(3)
})

it('a clock that was years ahead does not keep a schedule from running once it is right again', async () => {
  const clock = new TestClock(at('2026-06-01T00:00:00Z'))
  const one = trestle(clock)
  const { id } = await one.add({ time: '0 9 * * *', zone: 'UTC' })
  one.scheduler.begin()
  await clock.jump(at('2031-01-01T00:00:00Z'))
  await clock.until(clock.time + MINUTE)
  await clock.jump(at('2026-06-01T08:00:00Z'))
  await clock.until(clock.time + 2 * HOUR)
  expect(one.runs(id).map(({ dueAt }) => new Date(dueAt).toISOString().slice(0, 10))).toEqual([
    expect.stringMatching(/^20(?:2|3)/),
    '2026-06-01',
  ])
})

it('runs of a schedule never overlap, and all due times during a run become one run', async () => {
  const clock = new TestClock(at('2026-06-01T00:00:00Z'))
  let stop: Stop = 'open'
  const one = trestle(clock, () => ({ stop }))
  const { id } = await one.add({ time: 'every 10 min' })
  one.scheduler.begin()
  await clock.until(clock.time + HOUR)
  expect(one.prompts).toHaveLength(1)
  await expect(one.scheduler.runNow(one.schedules.find(id))).rejects.toMatchObject({ code: 'schedule.running' })
  stop = 'end_turn'
  one.finish(one.prompts[0]!.sessionId, { stop })
  await settle()
  expect(one.runs(id).map(({ status, missed }) => [status, missed])).toEqual([
    ['done', 0],
    ['done', 4],
  ])
})

it('reports the first failure of a streak, pauses after five, and starts over when it is resumed', async () => {
  const clock = new TestClock(at('2026-06-01T00:00:00Z'))
  let stop: Stop = 'error'
  const one = trestle(clock, () => ({ stop }))
  const { id } = await one.add({ time: 'every 1 h' })
  one.scheduler.begin()
  await clock.until(clock.time + 10 * HOUR)
  expect(one.runs(id)).toHaveLength(5)
  expect(one.told).toEqual([
    expect.stringMatching(/“Check” failed: .+ Open its session/),
    expect.stringMatching(/“Check” is paused: It has failed 5 times in a row: .+resume it/),
  ])
  expect(one.schedules.find(id)).toMatchObject({ isPaused: true, failures: 5 })
  stop = 'end_turn'
  one.schedules.setPaused(id, false, {})
  one.scheduler.wake()
  await clock.until(clock.time + HOUR + MINUTE)
  expect(one.schedules.find(id)).toMatchObject({ isPaused: false, failures: 0, lastRun: { status: 'done' } })
})

it('a heartbeat sends nothing when nothing is due, one message when something is, and nothing in quiet hours', async () => {
  const clock = new TestClock(at('2026-06-01T12:00:00Z'))
  let text = NOTHING_DUE
  const one = trestle(clock, () => ({ stop: 'end_turn', text }))
  const { id } = await one.add({ time: 'every 1 h', zone: 'UTC', heartbeat: true, quiet: '22:00-07:00' })
  one.scheduler.begin()
  await clock.until(clock.time + 3 * HOUR)
  expect(one.told).toEqual([])
  expect(one.prompts[0]!.prompt).toContain(NOTHING_DUE)
  expect(one.store.header(one.prompts[0]!.sessionId)).toMatchObject({ archived: true })
  text = 'The build is broken.'
  await clock.until(clock.time + HOUR)
  expect(one.told).toEqual(['Check: The build is broken.'])
  text = NOTHING_DUE
  await clock.until(at('2026-06-02T06:59:00Z'))
  const late = one.runs(id).filter(({ startedAt }) => startedAt >= at('2026-06-01T22:00:00Z'))
  expect(late).toEqual([])
  await clock.until(at('2026-06-02T07:01:00Z'))
  expect(one.runs(id).at(-1)).toMatchObject({ status: 'silent', missed: 0 })
})

it('a heartbeat that was due before quiet hours is not made up for in them', async () => {
  const clock = new TestClock(at('2026-06-01T20:30:00Z'))
  const one = trestle(clock, () => ({ stop: 'end_turn', text: NOTHING_DUE }))
  const { id } = await one.add({ time: 'every 1 h', zone: 'UTC', heartbeat: true, quiet: '22:00-07:00' })
  await clock.jump(at('2026-06-01T23:00:00Z'))
  one.scheduler.begin()
  await clock.until(clock.time + 2 * HOUR)
  expect(one.runs(id)).toEqual([])
})

it('ends a run at its time and token limits; waiting for the user does not count', async () => {
  const clock = new TestClock(at('2026-06-01T00:00:00Z'))
  const one = trestle(clock, () => ({ stop: 'open' }))
  const { id } = await one.add({ time: 'every 1 h', limits: { minutes: 10, tokens: 1000 } })
  one.scheduler.begin()
  await clock.until(clock.time + HOUR + MINUTE)
  const { sessionId } = one.prompts[0]!
  const approval = {
    approvalId: 'a',
    turnId: 't',
    callId: 'c',
    tool: 'Bash',
    summary: 'ls',
    reason: 'r',
    options: [],
    requestedAt: 0,
  }
  one.record(sessionId, { type: 'approval.requested', approval })
  await clock.until(clock.time + 20 * MINUTE)
  one.record(sessionId, { type: 'approval.resolved', approvalId: 'a', callId: 'c', outcome: 'allow_once' })
  await clock.until(clock.time + 8 * MINUTE)
  expect(one.runs(id)[0]).toMatchObject({ status: 'running' })
  await clock.until(clock.time + 2 * MINUTE)
  expect(one.runs(id)[0]).toMatchObject({ status: 'failed', note: 'It reached its limit of 10 min.' })
})

it('a prompt by an agent does not come first in the message of a run, where it could be a user command', async () => {
  const clock = new TestClock(at('2026-06-01T00:00:00Z'))
  const one = trestle(clock)
  const content = { time: 'every 1 h', prompt: '/deploy now', zone: 'UTC' }
  await one.schedules.create({ ...content, name: 'Mine' }, {})
  await one.schedules.create({ ...content, name: 'Made' }, { mode: 'ask', sessionId: 'session-1' })
  one.scheduler.begin()
  await clock.until(clock.time + HOUR + MINUTE)
  expect(one.prompts).toHaveLength(2)
  expect(one.prompts.filter(({ prompt }) => prompt.startsWith('/deploy now'))).toHaveLength(1)
})

it('a run whose Trestle has died ends as interrupted, and the next one starts', async () => {
  const clock = new TestClock(at('2026-06-01T00:00:00Z'))
  const one = trestle(clock, () => ({ stop: 'open' }))
  const { id } = await one.add({ time: 'every 1 h' })
  one.scheduler.begin()
  await clock.until(clock.time + HOUR + MINUTE)
  one.close()
  const two = trestle(clock)
  two.scheduler.begin()
  await clock.until(clock.time + HOUR)
  expect(two.runs(id).map(({ status }) => status)).toEqual(['interrupted', 'done'])
  expect(two.schedules.find(id).failures).toBe(0)
})

it('sets no timer until it starts, and one for any number of schedules', async () => {
  const clock = new TestClock(at('2026-06-01T00:00:00Z'))
  const one = trestle(clock)
  for (let n = 0; n < 50; n += 1) await one.add({ name: `Check ${n}`, time: 'every 1 h' })
  await settle()
  expect(clock.timers).toBe(0)
  one.scheduler.begin()
  await settle()
  expect(clock.timers).toBe(1)
  one.scheduler.rest()
  expect(clock.timers).toBe(0)
})

it('many schedules that are due at once run a few at a time', async () => {
  const clock = new TestClock(at('2026-06-01T00:00:00Z'))
  const one = trestle(clock, () => ({ stop: 'open' }))
  for (let n = 0; n < 20; n += 1) await one.add({ name: `Check ${n}`, time: 'every 1 h' })
  one.scheduler.begin()
  await clock.until(clock.time + HOUR + MINUTE)
  expect(one.prompts).toHaveLength(4)
  for (let n = 0; n < 20; n += 1) {
    one.finish(one.prompts[n]!.sessionId, { stop: 'end_turn' })
    await settle()
  }
  expect(one.prompts).toHaveLength(20)
})

it('another Trestle is notified of the end of a run immediately, and of nothing once it has stopped', async () => {
  const clock = new TestClock(at('2026-01-01T00:00:00Z'))
  const one = trestle(clock, () => ({ stop: 'error' }))
  const two = trestle(clock)
  one.scheduler.begin()
  two.scheduler.begin()
  const schedule = await one.add({ time: 'every 2 h' })
  await settle()
  const before = two.looks.length
  await one.scheduler.runNow(schedule)
  await settle()
  expect(one.told).toHaveLength(1)
  expect(two.looks.length).toBeGreaterThan(before)
  two.scheduler.rest()
  const after = two.looks.length
  await one.scheduler.runNow(schedule)
  await settle()
  expect(two.looks).toHaveLength(after)
})

it('pauses a damaged schedule, tells the user once, and runs all others', async () => {
  const clock = new TestClock(at('2026-01-01T12:00:00Z'))
  const one = trestle(clock)
  const broken = await one.add({ name: 'Broken', time: 'every 1 h' })
  const fine = await one.add({ name: 'Fine', time: 'every 2 h' })
  one.rows.update(broken.id, { ...broken, prompt: 7 as unknown as string }, { at: clock.now(), nextAt: clock.now() })
  one.scheduler.begin()
  await clock.until(clock.now() + 5 * HOUR)
  expect(one.runs(fine.id)).toHaveLength(2)
  expect(one.runs(broken.id)).toEqual([])
  expect(one.told).toEqual([expect.stringMatching(/“Broken” is paused: .* is damaged: save it again/)])
  expect(one.logged.splice(0)).toEqual([expect.stringContaining('Broken')])
  await expect(one.scheduler.runNow(one.schedules.find(broken.id))).rejects.toThrow('is damaged')
  expect(() => one.schedules.setPaused(broken.id, false, {})).toThrow('is damaged')
})

it('ends a run later that could be neither started nor ended, because the disk was full', async () => {
  const clock = new TestClock(at('2026-01-01T12:00:00Z'))
  const one = trestle(clock)
  const { id } = await one.add({ time: 'every 1 h' })
  const { setSession, endRun } = one.rows
  one.rows.setSession = one.rows.endRun = () => {
    throw new Error('The disk is full.')
  }
  one.scheduler.begin()
  await clock.until(clock.now() + HOUR)
  await one.scheduler.settled()
  expect(one.runs(id)).toMatchObject([{ status: 'running' }])
  expect(one.logged.splice(0)[0]).toContain('The disk is full.')
  Object.assign(one.rows, { setSession, endRun })
  await clock.until(clock.now() + 2 * HOUR)
  expect(one.runs(id).map(({ status }) => status)).toEqual(['interrupted', 'done', 'done'])
})

it('records the end of a run later if the disk was full', async () => {
  const clock = new TestClock(at('2026-01-01T12:00:00Z'))
  const one = trestle(clock, () => ({ stop: 'open' }))
  const { id } = await one.add({ time: 'every 1 h' })
  one.scheduler.begin()
  await clock.until(clock.now() + HOUR)
  const { endRun } = one.rows
  one.rows.endRun = () => {
    throw new Error('The disk is full.')
  }
  // The other parts of the engine are still notified of the end of the turn.
  one.finish(one.prompts[0]!.sessionId, { stop: 'end_turn' })
  await settle()
  expect(one.logged.splice(0)[0]).toContain('The disk is full.')
  one.rows.endRun = endRun
  await clock.until(clock.now() + 10 * MINUTE)
  expect(one.runs(id)[0]).toMatchObject({ status: 'done' })
})

it.each([{ time: '* * * * *' }, { time: 'every 1 min', heartbeat: true, quiet: '22:00-07:00' }])(
  'runs all other schedules when the time of one cannot be computed any more: $time',
  async (input) => {
    const clock = new TestClock(at('2026-01-01T12:00:00Z'))
    const one = trestle(clock)
    const broken = await one.add({ name: 'Broken', ...input })
    const fine = await one.add({ name: 'Fine', time: '30 2 * * *' })
    // As if it came from a machine that knows more time zones.
    one.rows.update(broken.id, { ...broken, zone: 'Mars/Base' }, { at: clock.now(), nextAt: clock.now() + MINUTE })
    expect(one.schedules.planned(clock.now(), clock.now() + DAY)).toMatchObject([{ scheduleId: fine.id }])
    one.scheduler.begin()
    await clock.until(clock.now() + 2 * DAY)
    expect(one.runs(fine.id)).toHaveLength(2)
    expect(one.rows.get(broken.id)).toMatchObject({ isPaused: true })
    expect(one.told).toEqual([expect.stringContaining('“Broken” is paused')])
    expect(one.logged.splice(0)).toEqual([expect.stringContaining('Broken')])
  },
)
