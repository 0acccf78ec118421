import { once } from 'node:events'
import { request } from 'node:https'
import { join } from 'node:path'
import { spawn } from 'node-pty'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { DevicesView, PairingCode } from '../../src/shared/model/place/paired-device'
import { canMakeCertificates } from '../support/certificate'
import { runCli, startCli, type CliRun } from '../support/run-cli'
import { createScratch, type Scratch } from '../support/scratch'
import { until } from '../support/until'

let scratch: Scratch
beforeEach(() => {
  scratch = createScratch()
})
afterEach(() => scratch.remove())

const run = (args: string[], env: Record<string, string> = {}): Promise<CliRun> =>
  runCli(args, { home: scratch.home, env })
const LISTEN = ['serve', '--port', '0', '--listen', '127.0.0.1:0']

/** Sends a code like the page of a device. */
function redeem(url: string, code: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' }
    const sent = request(`${url}/pair`, { method: 'POST', headers, rejectUnauthorized: false, agent: false })
    sent.on('response', (response) => {
      let body = ''
      response.setEncoding('utf8').on('data', (text: string) => (body += text))
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    sent.on('error', reject)
    sent.end(JSON.stringify({ code, name: 'Phone of Ada' }))
  })
}

describe.skipIf(!canMakeCertificates)('trestle serve --listen and trestle device', () => {
  it('pair a device with a code, list it and revoke it', async () => {
    const serve = startCli(LISTEN, { home: scratch.home })
    let out = ''
    serve.stdout.setEncoding('utf8').on('data', (text: string) => (out += text))
    try {
      await until(() => out.includes('To pair'), 'the address for devices')
      // People who can read the log of a service must not get a code.
      expect(out).toMatch(/Devices reach it at https:\/\/127\.0\.0\.1:\d+\nTo pair a device: trestle device pair\n$/)
      const [url = ''] = /https:\/\/\S+/.exec(out) ?? []

      const paired = await run(['device', 'pair', '--access', 'read', '--json'])
      const { code, links, access } = JSON.parse(paired.stdout) as PairingCode
      expect(access).toBe('read')
      expect(links[0]).toContain(url)
      const answer = await redeem(url, code)
      expect(answer).toMatchObject({ status: 200 })
      expect(answer.body).toContain('"access":"read"')
      expect((await redeem(url, code)).status).toBe(403)

      const { devices } = JSON.parse((await run(['device', 'list', '--json'])).stdout) as DevicesView
      expect(devices).toMatchObject([{ name: 'Phone of Ada', access: 'read' }])
      const { deviceId } = devices[0]!
      expect((await run(['device', 'list'])).stdout).toMatch(new RegExp(`${deviceId}.*Phone of Ada.*read-only`))
      expect(await run(['device', 'revoke', deviceId])).toMatchObject({ code: 0, stdout: 'Revoked 1 device.\n' })
      expect((await run(['device', 'revoke', deviceId])).code).toBe(1)
      expect((await run(['device', 'list'])).stdout).toContain('No devices are paired')
    } finally {
      serve.kill('SIGTERM')
      await once(serve, 'close')
    }
    expect((await run(['device', 'pair'])).stdout).toContain('Trestle is not listening for devices yet')
  })

  it('show how to pair the first device when started in a terminal', async () => {
    const { PATH = '', HOME = '' } = process.env
    const cli = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')
    const pty = spawn(process.execPath, [cli, ...LISTEN], {
      cols: 200,
      rows: 80,
      env: { PATH, HOME, TERM: 'xterm-256color', TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: scratch.home },
    })
    let out = ''
    pty.onData((text) => (out += text))
    const ended = new Promise<void>((resolve) => pty.onExit(() => resolve()))
    try {
      await until(() => out.includes('Compare its SHA-256 fingerprint'), 'how to pair')
      const [, url = ''] = /Devices reach it at (https:\S+)/.exec(out) ?? []
      const [, code = ''] = /type the code (\S+)/.exec(out) ?? []
      expect((await redeem(url, code)).status).toBe(200)
    } finally {
      pty.kill('SIGTERM')
      await ended
    }
  })

  it('are not for agents, and reject invalid options by name', async () => {
    const agent = { TRESTLE_TASK: 'bash-12345678' }
    expect(await run(['device', 'pair'], agent)).toMatchObject({ code: 2, stdout: '' })
    expect(await run(['device', 'revoke', 'x'], agent)).toMatchObject({ code: 2 })
    expect((await run(['device', 'list'], agent)).code).toBe(0)
    expect(await run(['serve', '--listen', 'my-computer'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--listen needs an address of this machine'),
    })
    expect(await run(['serve', '--listen', '127.0.0.1', '--cert', 'a.pem'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('needs both --cert and --key'),
    })
  })
})
