import { readdirSync, readFileSync, statSync } from 'node:fs'
import { request } from 'node:http'
import { connect as connectTcp } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { PairedDevices } from '../../src/main/engine/pairing/paired-devices'
import { PAIR_ATTEMPTS } from '../../src/main/host/web/device/pair-request'
import { startWebHost } from '../../src/main/host/web/server/web-host'
import { SOCKET_REFUSED } from '../../src/shared/contract/page-host'
import { PAIRING_LIMITS } from '../../src/shared/model/place/paired-device'
import { canMakeCertificates } from '../support/certificate'
import { DeviceLab } from '../support/device-lab'
import { until } from '../support/until'

let lab: DeviceLab
beforeEach(async () => {
  if (canMakeCertificates) lab = await DeviceLab.start({ names: ['box.tailnet.ts.net:443'] })
})
afterEach(async () => {
  if (canMakeCertificates) await lab.close()
})

const contents = (folder: string): string =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'utf8'))
    .join('\n')

describe.skipIf(!canMakeCertificates)('pairing a device', () => {
  test('a code pairs one device, which then uses the contract with its token', async () => {
    const { code } = lab.devices.pair('full')
    expect(code).toMatch(/^[2-9A-Z]{4}-[2-9A-Z]{4}$/)
    const paired = await lab.pair(code.toLowerCase().replace('-', ' '), { name: 'Phone\u202e of\nAda' })
    expect(paired).toMatchObject({ status: 200, json: { name: 'Phone of Ada', access: 'full' } })
    const token = String(paired.json['token'])
    const { client } = lab.connect(token)
    expect(await client.app.info()).toMatchObject({ host: 'web', access: 'full' })
    expect(lab.devices.list()).toEqual([
      {
        deviceId: token.slice(0, 16),
        name: 'Phone of Ada',
        access: 'full',
        pairedAt: lab.now,
        seenAt: lab.now,
        address: '127.0.0.1',
      },
    ])
    expect(lab.logged).toEqual([])
  })

  test('a code works once, even if two devices use it at the same time', async () => {
    const { code } = lab.devices.pair('full')
    const answers = await Promise.all([lab.pair(code), lab.pair(code), lab.pair(code)])
    expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 403, 403])
    expect(await lab.pair(code)).toMatchObject({ status: 403, json: { code: 'device.code' } })
    expect(lab.devices.list()).toHaveLength(1)
  })

  test('wrong, replaced, withdrawn and expired codes are refused with the same message', async () => {
    const replaced = lab.devices.pair('full').code
    const { code, expiresAt } = lab.devices.pair('full')
    const wrong = await lab.pair('ABCD-EFGH')
    expect(wrong).toMatchObject({ status: 403, json: { code: 'device.code' } })
    expect((await lab.pair(replaced)).body).toBe(wrong.body)
    lab.now = expiresAt
    expect((await lab.pair(code)).body).toBe(wrong.body)
    const withdrawn = lab.devices.pair('full').code
    lab.devices.cancelPairing()
    expect((await lab.pair(withdrawn)).body).toBe(wrong.body)
    expect(lab.devices.list()).toEqual([])
  })

  test('after a few wrong codes, no code is checked for a minute', async () => {
    const { code } = lab.devices.pair('full')
    const wrong = await Promise.all(Array.from({ length: 20 }, () => lab.pair('AAAA-AAAA')))
    expect(wrong.filter(({ status }) => status === 403)).toHaveLength(PAIR_ATTEMPTS.address)
    expect(wrong.filter(({ status }) => status === 429)).toHaveLength(20 - PAIR_ATTEMPTS.address)
    expect(await lab.pair(code)).toMatchObject({ status: 429, json: { code: 'device.too_many' } })
    lab.now += PAIR_ATTEMPTS.windowMs
    expect(await lab.pair(code)).toMatchObject({ status: 200 })
  })

  test('no more devices than the limit are paired', async () => {
    for (let count = 0; count < PAIRING_LIMITS.devices; count += 1)
      lab.devices.redeem(lab.devices.pair('read').code, 'x')
    expect(() => lab.devices.pair('read')).toThrow(expect.objectContaining({ code: 'device.limit' }))
  })

  test('only JSON with a code and a name is read, with a small size limit', async () => {
    const json = { 'content-type': 'application/json' }
    expect(await lab.ask('/pair', { method: 'POST', body: 'code=x' })).toMatchObject({ status: 405 })
    expect(await lab.ask('/pair', { method: 'POST', headers: json, body: '{' })).toMatchObject({ status: 400 })
    expect(
      await lab.ask('/pair', { method: 'POST', headers: json, body: `{"code":"${'x'.repeat(5000)}","name":"x"}` }),
    ).toMatchObject({ status: 400, json: { code: 'request.invalid' } })
    expect(await lab.ask('/elsewhere', { method: 'POST', headers: json, body: '{}' })).toMatchObject({ status: 405 })
  })

  test('neither codes nor tokens are stored, and other users can read none of the files', async () => {
    const { code } = lab.devices.pair('read')
    expect(contents(lab.home)).not.toContain(code.replace('-', ''))
    const token = await lab.token()
    const stored = contents(lab.home)
    expect(stored).not.toContain(token)
    expect(stored).not.toContain(token.slice(17))
    expect(lab.logged.join()).not.toContain(token)
    if (process.platform === 'win32') return
    for (const folder of ['devices', 'devices-tls']) {
      expect(statSync(join(lab.home, folder)).mode & 0o777).toBe(0o700)
      for (const name of readdirSync(join(lab.home, folder)))
        expect(statSync(join(lab.home, folder, name)).mode & 0o777).toBe(0o600)
    }
  })
})

describe.skipIf(!canMakeCertificates)('a paired device', () => {
  test('is signed out immediately when any process revokes it', async () => {
    const token = await lab.token()
    const socket = lab.socket(token)
    const closed = new Promise((resolve) => socket.on('close', resolve))
    await new Promise((resolve) => socket.once('message', resolve))
    new PairedDevices(lab.home).revoke(token.slice(0, 16))
    expect(await closed).toBe(SOCKET_REFUSED)
    expect(await lab.attempt(token)).toBe(SOCKET_REFUSED)
    expect(() => lab.devices.revoke(token.slice(0, 16))).toThrow(expect.objectContaining({ code: 'device.not_found' }))
  })

  test('cannot make a call after it was revoked', async () => {
    const { client, state } = lab.connect(await lab.token())
    await client.session.create({ folder: lab.home })
    lab.devices.revoke(lab.devices.list()[0]!.deviceId)
    // Sent at the same time, before the connection can have been notified.
    await expect(client.session.create({ folder: lab.home })).rejects.toMatchObject({ code: 'connection.refused' })
    await until(() => state.get().failure?.code === 'connection.refused', 'the device to be signed out')
    expect(lab.engine.sessions.list({})).toHaveLength(1)
  })

  test('its subscriptions end when it is revoked, and those of others continue', async () => {
    const other = lab.connect(await lab.token('read'))
    const token = await lab.token()
    const one = lab.connect(token)
    const seen: string[] = []
    const follow = async (name: string, pushes: AsyncIterable<{ type: string }>): Promise<void> => {
      try {
        for await (const { type } of pushes) seen.push(`${name} ${type}`)
      } catch {
        seen.push(`${name} ended`)
      }
    }
    void follow('one', await one.client.push.app())
    void follow('other', await other.client.push.app())
    await until(
      () => ['one', 'other'].every((name) => seen.some((line) => line.startsWith(name))),
      'both to be notified',
    )
    lab.devices.revoke(token.slice(0, 16))
    await until(() => seen.includes('one ended'), 'the subscription to end')
    expect(await other.client.app.info()).toMatchObject({ access: 'read' })
    expect(seen).not.toContain('other ended')
  })

  test('with read-only access sees sessions and changes nothing', async () => {
    const { sessionId } = await lab.connect(await lab.token()).client.session.create({ folder: lab.home })
    const { client } = lab.connect(await lab.token('read'))
    expect(await client.session.open({ sessionId })).toMatchObject({ header: { sessionId } })
    const parts = [{ type: 'text' as const, text: 'x' }]
    await expect(client.session.prompt({ sessionId, parts })).rejects.toMatchObject({ code: 'device.read_only' })
    await expect(client.approval.reply({ sessionId, approvalId: 'a', optionId: 'allow_once' })).rejects.toMatchObject({
      code: 'device.read_only',
    })
    await expect(client.device.pair({ access: 'full' })).rejects.toMatchObject({ code: 'device.not_here' })
  })

  test('with full access cannot pair devices, or change rules, keys and places', async () => {
    const { client } = lab.connect(await lab.token('full'))
    const refused = { code: 'device.not_here' }
    await expect(client.device.pair({ access: 'full' })).rejects.toMatchObject(refused)
    await expect(client.device.revoke({ deviceId: 'x' })).rejects.toMatchObject(refused)
    await expect(client.settings.saveProvider({ id: 'p', type: 'anthropic' })).rejects.toMatchObject(refused)
    await expect(client.place.remove({ placeId: 'x' })).rejects.toMatchObject(refused)
    await expect(client.engine.stop({ how: 'now' })).rejects.toMatchObject(refused)
  })

  test('has a token that works nowhere else, and the token of the browser on this machine does not work there', async () => {
    const loopback = await startWebHost({ engine: lab.engine, rendererDir: lab.home })
    try {
      expect(await lab.attempt(new URL(loopback.url).hash.slice('#token='.length))).toBe(SOCKET_REFUSED)
      const { status } = await new Promise<{ status: number }>((resolve, reject) => {
        const sent = request({
          host: '127.0.0.1',
          port: loopback.port,
          path: '/pair',
          method: 'POST',
          headers: { 'content-type': 'application/json' },
        })
        sent.on('response', (response) => resolve({ status: response.statusCode ?? 0 })).on('error', reject)
        sent.end('{}')
      })
      expect(status).toBe(405)
    } finally {
      await loopback.close()
    }
  })
})

describe.skipIf(!canMakeCertificates)('the address for devices', () => {
  test('answers only to its own names, so that a foreign site cannot point its name at it', async () => {
    const { port } = lab.host
    const token = await lab.token()
    const hosts = {
      [`127.0.0.1:${port}`]: true,
      'box.tailnet.ts.net': true,
      'BOX.tailnet.ts.net:443': true,
      'evil.example': false,
      [`evil.example:${port}`]: false,
      [`box.tailnet.ts.net:${port}`]: false,
      '127.0.0.1': false,
      '127.0.0.1:1': false,
      [`127.0.0.1.evil.example:${port}`]: false,
      [`192.168.1.1:${port}`]: false,
      [`localhost:${port}`]: false,
    }
    for (const [host, isOurs] of Object.entries(hosts)) {
      expect([host, (await lab.ask('/', { headers: { host } })).status]).toEqual([host, isOurs ? 200 : 403])
      expect([host, await lab.attempt(token, { host })]).toEqual([host, isOurs ? 'ready' : 'HTTP 403'])
    }
    const evil = { headers: { host: `evil.example:${port}` } }
    expect(await lab.pair(lab.devices.pair('full').code, evil)).toMatchObject({ status: 403 })
  })

  test('refuses pages of other origins, even with a valid token or code', async () => {
    const token = await lab.token()
    const own = `https://127.0.0.1:${lab.host.port}`
    expect(await lab.attempt(token, { origin: own })).toBe('ready')
    const foreign = [
      'https://evil.example',
      own.replace('https', 'http'),
      'null',
      `${own}.evil.example`,
      'https://127.0.0.1',
    ]
    for (const origin of foreign) {
      expect([origin, await lab.attempt(token, { origin })]).toEqual([origin, 'HTTP 403'])
      const { code } = lab.devices.pair('full')
      expect([origin, (await lab.pair(code, { headers: { origin } })).status]).toEqual([origin, 405])
    }
    expect(lab.devices.list()).toHaveLength(1)
  })

  test('speaks only TLS', async () => {
    const plain = await new Promise<string>((resolve) => {
      const sent = request({ host: '127.0.0.1', port: lab.host.port, path: '/' })
      sent.on('response', (response) => resolve(`HTTP ${response.statusCode}`))
      sent.on('error', () => resolve('refused'))
      sent.end()
    })
    expect(plain).toBe('refused')
    await expect(lab.ask('/', { maxVersion: 'TLSv1.1', minVersion: 'TLSv1' })).rejects.toBeDefined()
    expect(await lab.ask('/', { ca: lab.certificate.cert, rejectUnauthorized: true })).toMatchObject({ status: 200 })
    expect(lab.logged).toEqual([])
  })

  test('one neighbor with many connections is stopped before others cannot connect', async () => {
    const sockets = Array.from({ length: 80 }, () => connectTcp(lab.host.port, '127.0.0.1'))
    let closed = 0
    for (const socket of sockets) socket.on('close', () => (closed += 1)).on('error', () => undefined)
    await until(() => closed >= 20, 'the connections above the limit to be closed')
    expect(closed).toBe(20)
    for (const socket of sockets) socket.destroy()
    await until(() => closed === 80, 'all connections to be closed')
    expect(await lab.ask('/')).toMatchObject({ status: 200 })
  })

  test('names the certificate that it serves', async () => {
    expect(lab.host.fingerprint).toMatch(/^([0-9A-F]{2}:){31}[0-9A-F]{2}$/)
    expect(lab.host.urls).toContain(`https://127.0.0.1:${lab.host.port}`)
  })
})
