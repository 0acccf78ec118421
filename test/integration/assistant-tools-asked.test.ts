import { createServer } from 'node:http'
import { readFileSync, statSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import type { WireLine } from '../../src/shared/contract/stdio-wire'
import type { InboxEntry } from '../../src/shared/model/approval/approval'
import type { SessionHeader } from '../../src/shared/model/session/session'
import type { ScriptStep } from '../support/model-script'
import { startModelServer } from '../support/model-server'
import { configFor, createScratch, writeConfig } from '../support/scratch'
import { until } from '../support/until'
import { startWire, type WireClient } from '../support/wire-client'

const undo: (() => unknown)[] = []
afterEach(async () => {
  for (const step of undo.splice(0).toReversed()) await step()
})

const brief = (name: string, input: Record<string, unknown>): ScriptStep => ({
  toolCalls: [{ name: 'call_tool', input: { name, arguments: input } }],
})

async function program(script: ScriptStep[], config = '') {
  const scratch = createScratch({ 'page.html': '<p>Hello</p>' })
  undo.push(() => scratch.remove())
  const model = await startModelServer({ script })
  undo.push(() => model.close())
  writeConfig(scratch.home, `${configFor(model.baseUrl)}${config}`)
  const wire = startWire({ home: scratch.home, cwd: scratch.project })
  undo.push(() => wire.end())
  wire.begin('push.app')
  const { sessionId } = await wire.result<SessionHeader>('session.create', {
    folder: scratch.project,
    agent: { name: 'assistant' },
    mode: 'auto',
  })
  await wire.result('session.prompt', { sessionId, parts: [{ type: 'text', text: 'go' }] })
  return {
    scratch,
    wire,
    results: (): string[] =>
      (model.requests.at(-1)!.body['messages'] as { role: string; content: string }[]).flatMap(({ role, content }) =>
        role === 'tool' ? [content] : [],
      ),
    /** Resolves when the model has received this many requests. */
    requests: (count: number) => until(() => model.requests.length >= count, `request ${count}`),
  }
}

const answered = new Set<string>()

/** Allows the next request of the inbox, and returns what the user saw. */
async function allow(wire: WireClient, tool: string): Promise<Record<string, unknown>> {
  const entryIn = (line: WireLine): InboxEntry | undefined => {
    const { entries = [] } = ('event' in line ? line.event : {}) as { entries?: InboxEntry[] }
    return entries.find((entry) => entry.tool === tool && !answered.has(entry.approvalId))
  }
  const { sessionId, approvalId } = entryIn(
    await wire.line(`a request of ${tool}`, (line) => entryIn(line) !== undefined),
  )!
  answered.add(approvalId)
  const approval = await wire.result<{ options: { optionId: string; kind: string }[] }>('approval.get', {
    sessionId,
    approvalId,
  })
  const option = approval.options.find(({ kind }) => kind === 'allow_once')!
  expect(approval.options.some(({ kind }) => kind === 'allow_always')).toBe(false)
  await wire.result('approval.reply', { sessionId, approvalId, optionId: option.optionId })
  return approval
}

it('in Auto the location, a link and an event ask, with everything shown, and run once they are allowed', async () => {
  const service = createServer((_request, response) =>
    response.end(JSON.stringify({ ip: '8.8.8.8', city: 'Berlin', country: 'DE', timezone: 'Europe/Berlin' })),
  )
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve))
  undo.push(() => service.close())
  const host = `127.0.0.1:${(service.address() as AddressInfo).port}`
  const { scratch, wire, results, requests } = await program(
    [
      brief('GetLocation', {}),
      brief('OpenURL', { url: 'https://example.org/a?b=c' }),
      brief('OpenURL', { url: 'page.html' }),
      brief('CreateCalendarEvent', { title: 'Review', start: '2026-12-01T09:00', zone: 'Europe/Berlin' }),
      { text: 'done' },
    ],
    `[features]\nlocation = true\n[location]\nservice = "http://${host}/json"\n`,
  )
  expect(await allow(wire, 'GetLocation')).toMatchObject({ preview: { text: expect.stringContaining(host) } })
  expect(await allow(wire, 'OpenURL')).toMatchObject({ preview: { text: 'https://example.org/a?b=c' } })
  await requests(3)
  expect(await allow(wire, 'OpenURL')).toMatchObject({ preview: { text: expect.stringMatching(/page\.html$/) } })
  expect(await allow(wire, 'CreateCalendarEvent')).toMatchObject({
    preview: { kind: 'event', event: { title: 'Review', end: '2026-12-01T10:00', zone: 'Europe/Berlin' } },
  })
  await requests(5)
  const [location = '', page, file, event = ''] = results()
  expect(location).toContain('city: Berlin\ncountry: DE\nzone: Europe/Berlin')
  expect(location).not.toContain('8.8.8.8')
  expect(page).toContain('was shown https://example.org/a?b=c as a link')
  expect(file).toContain('page.html as a link')
  const path = /^Created (.*\.ics)\./.exec(event)?.[1] ?? ''
  expect(path.startsWith(scratch.home)).toBe(true)
  expect(readFileSync(path, 'utf8')).toContain('DTSTART;TZID=Europe/Berlin:20261201T090000')
  expect(process.platform === 'win32' ? 0 : statSync(path).mode & 0o077).toBe(0)
})

it('a notification and an alarm arrive as wire messages, and the alarm can be snoozed and stopped there', async () => {
  const { wire, requests } = await program([{ text: 'ready' }])
  await requests(1)
  await wire.result('alarm.set', { when: '1s', label: 'Tea' })
  const rang = await wire.line('the alarm', (line) => JSON.stringify(line).includes('"source":"alarm"'))
  expect(JSON.stringify(rang)).toContain('"title":"Tea"')
  const [alarm] = await wire.result<{ id: string }[]>('alarm.list', {})
  expect(alarm).toMatchObject({ status: 'ringing', ringsHere: true })
  expect(await wire.result('alarm.snooze', { id: alarm!.id, minutes: 5 })).toMatchObject({ status: 'pending' })
})
