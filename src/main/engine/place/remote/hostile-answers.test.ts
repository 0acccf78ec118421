import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { fakeLauncher, type FakeEngine } from '../../../../../test/support/place/hostile-engine'
import { rejection } from '../../../../../test/support/required'
import { until } from '../../../../../test/support/until'
import type { Place } from '../../../../shared/model/place/place'
import { NO_USAGE } from '../../../../shared/model/turn/usage'
import type { ModelInfo } from '../../model/provider'
import { ConnectedPlace } from '../connection/connected-place'
import { createLocalShell } from '../launcher/local-shell'
import { downloadFile } from '../ssh/shell-copy'
import { placeEnd } from '../move/move-ends'
import { adaptResult } from '../connection/route-calls'
import { serveModels } from '../connection/serve-models'
import { hitsOf, mergeReports, usageReportOf } from './remote-answers'
import { usageOf } from './remote-lists'

const PLACE: Place = { placeId: 'box', launch: { kind: 'ssh', host: 'box' }, addedAt: 0 }
type Play = Parameters<typeof fakeLauncher>[0]

let place: ConnectedPlace | undefined
let engines: FakeEngine[]
afterEach(async () => {
  await place?.remote.disconnect()
  place = undefined
})

async function connect(play: Play): Promise<ConnectedPlace> {
  const fake = fakeLauncher(play)
  engines = fake.engines
  place = new ConnectedPlace({
    place: PLACE,
    launcher: fake.launcher,
    timing: { backoff: [1, 5], requestWait: 200 },
    isTaken: () => false,
    onChange: () => undefined,
  })
  await place.remote.connect()
  return place
}

describe('a hostile engine that answers calls', () => {
  it('cannot do harm with endlessly nested text or keys that would pollute prototypes', async () => {
    const { remote } = await connect((engine, { id, method }) => {
      if (method !== 'usage.report') return
      engine.write(`{"id":${id},"event":{"__proto__":{"isAdmin":true},"constructor":{"prototype":{"isAdmin":true}}}}`)
      engine.write('['.repeat(300_000))
      engine.write({ id, result: 1 })
    })
    await remote.call('usage.report', {}).catch(() => undefined)
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  })

  it('gets no model keys, and at most 16 of its model calls run at the same time', async () => {
    let running = 0
    let most = 0
    const gate = Promise.withResolvers<void>()
    const { remote } = await connect((engine, { id, method }) => {
      if (method === 'place.modelReply') engine.write({ id, result: null })
      if (method !== 'place.serveModels') return
      for (let n = 0; n < 200; n += 1)
        engine.write({ id, event: { type: 'call', callId: `call-${n}`, modelId: 'p/m', request: { messages: [] } } })
    })
    const info: ModelInfo = {
      id: 'p/m',
      model: 'm',
      label: 'M',
      providerId: 'p',
      contextWindow: 1000,
      toolCalls: true,
      imagesIn: false,
      thinking: false,
      origin: 'configured',
    }
    const controller = new AbortController()
    const catalog = {
      list: () => [info],
      defaultModel: () => 'p/m',
      resolve: async () => ({
        info,
        provider: {
          async *stream() {
            running += 1
            most = Math.max(most, running)
            await gate.promise
            yield { type: 'finish' as const, reason: 'stop' as const }
          },
        },
      }),
    }
    void serveModels(remote.link!, { catalog, smallModel: () => undefined, log: () => undefined }, controller.signal)
    const refused = (): number =>
      engines[0]!.requests.filter(
        ({ method, input }) =>
          method === 'place.modelReply' &&
          (input as { failure?: { code: string } }).failure?.code === 'model.rate_limited',
      ).length
    await until(() => refused() === 184, 'the refusals')
    gate.resolve()
    controller.abort()
    expect(most).toBe(16)
    expect(JSON.stringify(engines[0]!.requests)).not.toMatch(/key|secret|authorization/i)
  })

  it('cannot add to the usage of tasks of this machine, nor report ports that cannot exist', () => {
    const one = (taskId: string, port: number) => ({
      taskId,
      cpu: 1,
      memoryBytes: 1,
      processes: [{ pid: 1, parentPid: 0, command: 'a\u001b[2Jb', cpu: 1, memoryBytes: 1 }],
      ports: [{ port, address: '127.0.0.1', pid: 1 }],
    })
    const own = new Set(['bash-own'])
    expect(usageOf(own, [one('bash-own', 80), one('bash-local', 80), one('bash-own', 70_000), null])).toEqual([
      expect.objectContaining({ taskId: 'bash-own', processes: [expect.objectContaining({ command: 'a [2Jb' })] }),
    ])
    expect(usageOf(own, { length: 1e9 })).toEqual([])
  })

  it('cannot find messages in sessions of this machine, or in folders of other places', () => {
    const hit = (sessionId: string, folder = '/srv') => ({ sessionId, title: 't', folder, seq: 1, at: 1, snippet: 's' })
    const found = hitsOf('box', (id) => id === 'own', [hit('own'), hit('local'), hit('own', 'place://other/x'), 'x'])
    expect(found).toEqual([expect.objectContaining({ sessionId: 'own', folder: 'place://box/srv', place: 'box' })])
  })

  it('cannot report negative usage, or usage on days and folders of this machine', () => {
    const days = [{ ...NO_USAGE, key: '2026-11-26', label: '2026-11-26', cost: 1 }]
    const here = {
      by: 'project' as const,
      from: '2026-11-26',
      to: '2026-11-26',
      rows: [{ ...NO_USAGE, key: '/srv/app', label: '/srv/app', cost: 1 }],
      days,
      total: { ...NO_USAGE, cost: 1 },
      prices: { generated: '', sources: [] },
    }
    const there = (cost: number) => ({
      rows: [{ ...NO_USAGE, key: '/srv/app', label: '/srv/app', cost }],
      days: [
        { ...NO_USAGE, key: '2026-11-26', label: 'x', cost },
        { ...NO_USAGE, key: '1999-01-01', label: 'x', cost },
      ],
      total: { ...NO_USAGE, cost },
    })
    expect(usageReportOf(there(-5))).toBeUndefined()
    expect(usageReportOf({ rows: 'all' })).toBeUndefined()
    const merged = mergeReports(here, [{ placeId: 'box', report: usageReportOf(there(2))! }])
    expect(merged.days.map(({ key, cost }) => [key, cost])).toEqual([['2026-11-26', 3]])
    expect(merged.rows.map(({ key, cost }) => [key, cost])).toEqual([
      ['place://box/srv/app', 2],
      ['/srv/app', 1],
    ])
    expect(merged.total.cost).toBe(3)
  })

  it('cannot direct a listing of its folders outside the place', () => {
    const listing = { path: '/srv', parent: 'place://other/etc', folders: [{ name: 'x', path: '/home/ada/.ssh' }] }
    expect(adaptResult('box', 'folder.list', listing)).toMatchObject({
      path: 'place://box/srv',
      parent: 'place://box/place://other/etc',
      folders: [{ path: 'place://box/home/ada/.ssh' }],
    })
  })

  it('cannot choose which file is copied in a move, nor receive a session that was not moved', async () => {
    const copied: string[] = []
    const connected = await connect((engine, { id, method }) => {
      const head = 'a'.repeat(64)
      if (method === 'move.out')
        engine.write({ id, result: { moveId: 'move-1', file: '/home/ada/.ssh/id_ed25519', bytes: 10, head } })
      if (method === 'move.in')
        engine.write({
          id,
          result: {
            moveId: 'move-1',
            sessionId: 'session-other',
            title: 't',
            folder: '/srv',
            epoch: 2,
            events: 1,
            contents: 0,
            project: 'none',
            notes: [],
            head,
          },
        })
      if (method === 'move.address') engine.write({ id, result: { address: '../../etc' } })
    })
    Object.assign(connected.launcher, {
      run: async () => ({ exitCode: 0, stdout: '/home/u/.trestle-server/moves\n', stderr: '' }),
      download: async (path: string) => void copied.push(path),
    })
    const end = placeEnd(connected, () => undefined)
    await end.out('session-1', { address: 'home-1', place: 'here' }, '/tmp/on-its-way-1', () => undefined)
    expect(copied).toEqual(['/home/u/.trestle-server/moves/on-its-way-1'])
    const options = { sessionId: 'session-1', head: 'a'.repeat(64) }
    expect(await rejection(end.in('/tmp/on-its-way-1', options))).toMatchObject({ code: 'place.misbehaved' })
    expect(await rejection(end.address())).toMatchObject({ code: 'place.misbehaved' })
  })

  it.skipIf(process.platform === 'win32')(
    'cannot fill the disk with more than the file that it announced',
    async () => {
      const folder = mkdtempSync(join(tmpdir(), 'trestle-copy-'))
      try {
        writeFileSync(join(folder, 'large'), 'x'.repeat(1 << 20))
        const copy = (bytes: number, name: string): Promise<void> =>
          downloadFile(createLocalShell(), join(folder, 'large'), join(folder, name), { bytes })
        expect(await rejection(copy(1000, 'a'))).toMatchObject({ code: 'place.misbehaved' })
        expect(await rejection(copy(2 << 20, 'b'))).toMatchObject({ code: 'place.copy_failed' })
        await copy(1 << 20, 'c')
        expect(readFileSync(join(folder, 'c')).length).toBe(1 << 20)
        expect(readdirSync(folder)).toContain('c')
      } finally {
        rmSync(folder, { recursive: true, force: true })
      }
    },
  )
})
