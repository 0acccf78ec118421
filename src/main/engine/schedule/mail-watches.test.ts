import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { CodedError } from '../../../shared/errors'
import type { Schedule, ScheduleTime } from '../../../shared/model/assistant/schedule'
import { openStore } from '../store/open/open-store'
import { createScheduleRows, type ScheduleRows } from '../store/rows/schedule-rows'
import { createMailWatches, type MailSource } from './mail-watches'

const undo: (() => void)[] = []
afterEach(() => {
  for (const step of undo.splice(0).toReversed()) step()
})

type Watch = Parameters<MailSource['watch']>[0]

/** The watches of a home with the real rows; each test acts as the mail server. */
function watching() {
  const home = mkdtempSync(join(tmpdir(), 'trestle-watches-'))
  undo.push(() => rmSync(home, { recursive: true, force: true }))
  const { store, database } = openStore({ home })
  undo.push(() => store.close())
  const rows = createScheduleRows(database)
  const open = new Set<Watch>()
  const timers = new Set<() => void>()
  const told: string[] = []
  let accounts: string[] | undefined = ['work']
  let arrivals = 0
  const watches = createMailWatches({
    rows,
    source: {
      accounts: () => accounts,
      watch(watch) {
        open.add(watch)
        return () => void open.delete(watch)
      },
    },
    clock: {
      now: () => 1000,
      after(_ms, run) {
        timers.add(run)
        return () => void timers.delete(run)
      },
    },
    arrived: () => (arrivals += 1),
    notify: ({ title, body }) => void told.push(`${title}: ${body}`),
  })
  return {
    rows,
    watches,
    open,
    told,
    arrivals: () => arrivals,
    setAccounts: (to: string[] | undefined) => (accounts = to),
    passTime() {
      for (const run of timers) run()
      timers.clear()
    },
    only(): Watch {
      expect(open.size).toBe(1)
      return [...open][0]!
    },
  }
}

function add(rows: ScheduleRows, id: string, time: ScheduleTime = { kind: 'mail', filter: {} }): Schedule {
  const spec = { name: id, time, zone: 'UTC', prompt: 'Look.', mode: 'ask' as const, limits: {} }
  return rows.insert(id, spec, { at: 0, nextAt: undefined })
}

const mail = (uid: number) => [{ id: `work:INBOX:1-${uid}` }, { validity: '1', uid }] as const

it('watches while mail is on and the schedule is not paused, and continues where it stopped', () => {
  const { rows, watches, open, only, setAccounts, arrivals } = watching()
  add(rows, 'a')
  watches.follow()
  expect(only().since).toBeUndefined()
  only().onPosition({ validity: '1', uid: 4 })
  setAccounts(undefined)
  watches.follow()
  expect(open.size).toBe(0)
  setAccounts(['work'])
  watches.follow()
  expect(only().since).toEqual({ validity: '1', uid: 4 })
  only().onMail(...mail(5))
  only().onMail(...mail(5))
  expect(arrivals()).toBe(1)
  expect(rows.get('a')).toMatchObject({ nextAt: 1000 })
  rows.setPaused('a', true, { at: 0, nextAt: undefined })
  watches.follow()
  expect(open.size).toBe(0)
})

it('after a pause, waiting messages are due, and mail that arrived during the pause does not count', () => {
  const { rows, watches, only } = watching()
  add(rows, 'a')
  watches.follow()
  only().onMail(...mail(5))
  rows.setPaused('a', true, { at: 0, nextAt: undefined })
  watches.follow()
  rows.setPaused('a', false, { at: 2000, nextAt: undefined })
  watches.follow()
  expect(only().since).toBeUndefined()
  expect(rows.get('a')).toMatchObject({ nextAt: 2000 })
  expect(rows.mailState('a').pending).toEqual(['work:INBOX:1-5'])
})

it('watches every account unless the schedule names one, and applies the current filter', () => {
  const { rows, watches, open, only, setAccounts } = watching()
  const before = add(rows, 'a')
  setAccounts(['work', 'home'])
  watches.follow()
  expect([...open].map(({ account }) => account)).toEqual(['work', 'home'])
  const [old] = open
  const time: ScheduleTime = { kind: 'mail', account: 'home', filter: { from: 'ci' } }
  rows.update('a', { ...before, time }, { at: 0, nextAt: undefined })
  old!.onMail(...mail(9))
  expect(rows.mailState('a').pending).toEqual([])
  watches.follow()
  expect(only()).toMatchObject({ account: 'home', filter: { from: 'ci' } })
})

it('the messages of a run wait again only if the run was not started', () => {
  const { rows, watches, only } = watching()
  add(rows, 'a')
  watches.follow()
  only().onMail(...mail(1))
  const run = { id: 'run-1', scheduleId: 'a', dueAt: 1000, startedAt: 1000, missed: 0, owner: 'me' }
  expect(rows.claim(run, { nextAt: 1000 }, undefined)).toBe(true)
  expect(rows.mailState('a')).toMatchObject({ pending: [], taken: ['work:INBOX:1-1'] })
  rows.endRun('run-1', { at: 3000, status: 'interrupted', hasBegun: false })
  expect(rows.get('a')).toMatchObject({ nextAt: 3000 })
  expect(rows.claim({ ...run, id: 'run-2' }, { nextAt: 3000 }, undefined)).toBe(true)
  expect(rows.mailState('a').taken).toEqual(['work:INBOX:1-1'])
  rows.endRun('run-2', { at: 4000, status: 'interrupted', hasBegun: true })
  expect(rows.mailState('a')).toMatchObject({ pending: [] })
  expect(rows.get('a')!.nextAt).toBeUndefined()
})

it('reports a failing watch once per streak: after a while, or immediately when only the user can help', () => {
  const { rows, watches, open, told, passTime } = watching()
  add(rows, 'a')
  add(rows, 'b')
  watches.follow()
  const all = (problem: Error | undefined): void => {
    for (const watch of open) watch.onProblem(problem)
  }
  all(new Error('The mail server closed the connection.'))
  all(undefined)
  passTime()
  expect(told).toEqual([])
  all(new Error('The mail server closed the connection.'))
  passTime()
  passTime()
  expect(told).toEqual([expect.stringMatching(/^New mail of work cannot start schedules: The mail server closed/)])
  all(undefined)
  all(new CodedError('mail.sign_in', 'The password is refused.'))
  expect(told).toHaveLength(2)
})
