import { expect, it, test } from 'vitest'
import { callContext } from '../../../../../test/support/call-context'
import { getLocalTimeTool, localTimeText } from './get-local-time'

test.each([
  ['2026-11-23T13:05:09Z', 'Europe/Berlin', '2026-11-23T14:05:09+01:00', 'Monday', '2026-W48'],
  ['2026-07-01T22:30:00Z', 'Asia/Kolkata', '2026-07-02T04:00:00+05:30', 'Thursday', '2026-W27'],
  ['2027-01-01T12:00:00Z', 'UTC', '2027-01-01T12:00:00+00:00', 'Friday', '2026-W53'],
  ['2024-12-30T12:00:00Z', 'UTC', '2024-12-30T12:00:00+00:00', 'Monday', '2025-W01'],
  ['2026-10-25T00:59:59Z', 'Europe/Berlin', '2026-10-25T02:59:59+02:00', 'Sunday', '2026-W43'],
  ['2026-10-25T01:00:00Z', 'Europe/Berlin', '2026-10-25T02:00:00+01:00', 'Sunday', '2026-W43'],
  ['2026-01-15T12:00:00Z', 'Australia/Lord_Howe', '2026-01-15T23:00:00+11:00', 'Thursday', '2026-W03'],
])('at %s it is in %s %s, a %s in %s', (at, zone, time, weekday, week) => {
  expect(localTimeText(new Date(at), zone).split('\n')).toEqual([
    `time: ${time}`,
    `weekday: ${weekday}`,
    `week: ${week}`,
    expect.stringMatching(new RegExp(`^zone: ${zone} \\(UTC[+-]\\d\\d:\\d\\d\\)$`)),
  ])
})

it("uses this machine's zone by default", async () => {
  const call = await getLocalTimeTool({ now: () => 0 }).prepare({})
  if ('refused' in call) throw new Error('refused')
  const { content } = await call.run(callContext())
  expect(content).toEqual([
    { type: 'text', text: expect.stringContaining(Intl.DateTimeFormat().resolvedOptions().timeZone) },
  ])
})

it('suggests the time zone that may be meant', async () => {
  const call = await getLocalTimeTool().prepare({ zone: 'new york' })
  expect(JSON.stringify(call)).toContain('Did you mean America/New_York?')
})
