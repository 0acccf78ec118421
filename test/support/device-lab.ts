import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { request, type RequestOptions } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WebSocket } from 'ws'
import { PairedDevices } from '../../src/main/engine/pairing/paired-devices'
import { ownCertificate, type Certificate } from '../../src/main/host/web/device/certificate'
import { startDeviceHost, type DeviceHost } from '../../src/main/host/web/device/device-host'
import { connect } from '../../src/renderer/client/connect'
import type { Connection } from '../../src/renderer/client/connection'
import { webSocketTransport } from '../../src/renderer/client/transports'
import { memoryEngine, type MemoryEngine } from './memory-engine'

export interface Answer {
  status: number
  body: string
  json: Record<string, unknown>
}

/** A device host on loopback with the engine double, whose clock stands still until it is set. */
export class DeviceLab {
  readonly home = mkdtempSync(join(tmpdir(), 'trestle-devices-'))
  readonly engine: MemoryEngine = memoryEngine({ home: this.home })
  readonly logged: string[] = []
  now = 1_000_000
  readonly devices = new PairedDevices(this.home, () => this.now)
  host!: DeviceHost
  certificate!: Certificate
  readonly #cleanups: (() => unknown)[] = []

  static async start(options: { names?: string[] } = {}): Promise<DeviceLab> {
    const lab = new DeviceLab()
    const rendererDir = join(lab.home, 'renderer')
    mkdirSync(rendererDir)
    writeFileSync(join(rendererDir, 'index.html'), '<!doctype html><title>Trestle</title>')
    lab.certificate = await ownCertificate(lab.home, ['127.0.0.1'])
    lab.host = await startDeviceHost({
      engine: lab.engine,
      rendererDir,
      devices: lab.devices,
      address: '127.0.0.1',
      port: 0,
      certificate: lab.certificate,
      now: () => lab.now,
      logBug: (message, error) => lab.logged.push(`${message} ${String(error)}`),
      ...options,
    })
    return lab
  }

  async close(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).toReversed()) cleanup()
    await this.host.close()
    rmSync(this.home, { recursive: true })
  }

  ask(path: string, options: RequestOptions & { body?: string } = {}): Promise<Answer> {
    const { body = '', ...more } = options
    return new Promise((resolve, reject) => {
      const sent = request(
        { host: '127.0.0.1', port: this.host.port, path, rejectUnauthorized: false, agent: false, ...more },
        (response) => {
          let text = ''
          response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              body: text,
              json: text.startsWith('{') ? (JSON.parse(text) as Record<string, unknown>) : {},
            }),
          )
        },
      )
      sent.on('error', reject)
      sent.end(body)
    })
  }

  pair(code: string, options: RequestOptions & { name?: string } = {}): Promise<Answer> {
    const { name = 'Phone', ...more } = options
    return this.ask('/pair', {
      method: 'POST',
      ...more,
      headers: { 'content-type': 'application/json', ...(more.headers as Record<string, string> | undefined) },
      body: JSON.stringify({ code, name }),
    })
  }

  /** Pairs a device and returns its token. */
  async token(access: 'read' | 'full' = 'full'): Promise<string> {
    return String((await this.pair(this.devices.pair(access).code)).json['token'])
  }

  socket(token: string, headers: Record<string, string> = {}): WebSocket {
    const socket = new WebSocket(`wss://127.0.0.1:${this.host.port}/socket`, ['trestle.1', `token.${token}`], {
      rejectUnauthorized: false,
      headers,
    })
    socket.on('error', () => {})
    this.#cleanups.push(() => socket.terminate())
    return socket
  }

  /** The first message, the close code, or the status of a rejected handshake. */
  attempt(token: string, headers: Record<string, string> = {}): Promise<string | number> {
    return new Promise((resolve) => {
      const socket = this.socket(token, headers)
      socket.on('message', (data: Buffer) => {
        resolve(data.toString())
        socket.terminate()
      })
      socket.on('close', (code) => resolve(code))
      socket.on('unexpected-response', (_request, response) => resolve(`HTTP ${response.statusCode}`))
    })
  }

  /** The client of a page on the device. */
  connect(token: string): Connection {
    const connection = connect(
      webSocketTransport(
        (_url, _protocols, events) => {
          const socket = this.socket(token)
          socket.on('message', (data: Buffer) => events.message(data.toString()))
          socket.on('close', (code) => events.closed(code))
          return { send: (message) => socket.send(message), close: () => socket.close() }
        },
        'wss://device/socket',
        token,
      ),
    )
    this.#cleanups.push(() => connection.close())
    return connection
  }
}
