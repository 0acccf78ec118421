import { connect, createServer, type Server, type Socket } from 'node:net'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { version } from '../../package.json'
import { isRecorded, type RecordedEvent, type SessionEvent } from '../../src/shared/events/event'
import type { EngineStatus } from '../../src/shared/model/app/engine'
import { attachEngine, findEngine } from '../../src/main/role/attach'
import { dialEngine, engineEndpoint } from '../../src/main/role/engine-endpoint'
import { EngineLink } from '../../src/main/role/engine-link'
import { greetEngine } from '../../src/main/role/handshake'
import { connectWire } from '../../src/main/wire/wire-client'
import type { ModelScript } from './model-script'
import { startModelServer, type ModelServer } from './model-server'
import { startCli } from './run-cli'
import { configFor, createScratch, writeConfig, type Scratch } from './scratch'
import { endHosts } from './source-task-host'
import { until } from './until'
import { startWire, type WireClient } from './wire-client'

/** A home with a scripted model, an engine of the built program, and clients of all kinds. */
export class EngineLab {
  readonly scratch: Scratch
  readonly server: ModelServer
  readonly #links: EngineLink[] = []
  readonly #wires: WireClient[] = []
  readonly #proxies: CutProxy[] = []
  /** Additional variables for its engines. */
  readonly env: Record<string, string>
  /** Their program; undefined: the built one. */
  program: string | undefined

  private constructor(scratch: Scratch, server: ModelServer, env: Record<string, string>) {
    this.scratch = scratch
    this.server = server
    this.env = env
  }

  /** `env`: additional variables for its engines. */
  static async start(script: ModelScript, config = '', env: Record<string, string> = {}): Promise<EngineLab> {
    const scratch = createScratch({ 'notes.md': 'one\ntwo\n' })
    const server = await startModelServer({ script })
    writeConfig(scratch.home, configFor(server.baseUrl, { more: 'default_permission_mode = "auto"', loop: config }))
    return new EngineLab(scratch, server, env)
  }

  get home(): string {
    return this.scratch.home
  }

  /** Starts the built engine, and resolves when it listens. */
  readonly startEngine = async (): Promise<void> => {
    const child = startCli(['engine'], {
      home: this.home,
      env: this.env,
      ...(this.program !== undefined && { program: this.program }),
    })
    child.stderr.resume()
    const [line] = (await Promise.race([once(child.stdout, 'data'), once(child, 'exit').then(() => [''])])) as [Buffer]
    if (!String(line).includes('path')) throw new Error(`The engine did not start: ${String(line)}`)
  }

  /** `trestle wire --attach`. */
  attach(): WireClient {
    const wire = startWire({ home: this.home, args: ['--attach'] })
    this.#wires.push(wire)
    return wire
  }

  /** A client that reconnects whenever it is cut off, and starts an engine if none runs; through `proxy`, if given. */
  link(proxy?: CutProxy | 'never starts one'): EngineLink {
    const options = { home: this.home, version }
    const start = async (): Promise<void> => {
      if (proxy === undefined) await this.startEngine()
    }
    const link = new EngineLink({
      retryMs: [5, 100],
      open: async () => (proxy instanceof CutProxy ? proxy.open() : (await attachEngine(options, start)).socket),
    })
    this.#links.push(link)
    return link
  }

  async proxy(): Promise<CutProxy> {
    const proxy = await CutProxy.start(this)
    this.#proxies.push(proxy)
    return proxy
  }

  /** The running engine; undefined if none runs. */
  async status(): Promise<EngineStatus | undefined> {
    const found = await findEngine({ home: this.home, version }).catch(() => undefined)
    if (!found) return undefined
    const wire = connectWire(found.socket)
    try {
      return (await wire.client.engine.status()) ?? undefined
    } catch {
      return undefined
    } finally {
      wire.close()
    }
  }

  /** Sends SIGKILL to the engine; resolves when it has exited and the links have noticed. */
  async killEngine(): Promise<number> {
    const connections = await Promise.all(this.#links.map((link) => link.connection()))
    const { pid } = (await this.status())!
    process.kill(pid, 'SIGKILL')
    await until(() => !lives(pid), 'the end of the engine')
    await Promise.all(connections.map(({ closed }) => closed))
    return pid
  }

  async end(): Promise<void> {
    for (const link of this.#links) link.close()
    for (const proxy of this.#proxies) proxy.close()
    await Promise.all(this.#wires.map((wire) => wire.kill()))
    // An engine that is taking over is found a moment later.
    for (let left = await this.status(); left; left = await this.status()) {
      process.kill(left.pid, 'SIGKILL')
      const { pid } = left
      await until(() => !lives(pid), 'the end of the engine')
    }
    await endHosts(this.home)
    await this.server.close()
    this.scratch.remove()
  }
}

export function lives(pid: number): boolean {
  try {
    // A zombie has also exited.
    return !/^\d+ \(.*\) [ZX]/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

/** Forwards connections to the engine until they are cut. */
export class CutProxy {
  readonly #lab: EngineLab
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  #isHole = false
  cuts = 0
  /** Delay of all data, in ms. */
  delayMs = 0

  private constructor(lab: EngineLab, server: Server) {
    this.#lab = lab
    this.#server = server
  }

  static async start(lab: EngineLab): Promise<CutProxy> {
    const server = createServer({ allowHalfOpen: true })
    const proxy = new CutProxy(lab, server)
    server.on('connection', (near: Socket) => void proxy.#pass(near))
    server.listen(join(lab.scratch.project, '..', 'proxy'))
    await once(server, 'listening')
    return proxy
  }

  /** An authenticated connection through the proxy. */
  async open(): Promise<Socket> {
    if (!(await this.#lab.status())) await this.#lab.startEngine()
    const near = connect(join(this.#lab.scratch.project, '..', 'proxy'))
    near.on('error', () => near.destroy())
    await greetEngine(near, { key: engineEndpoint(this.#lab.home).token, version })
    return near
  }

  /** From now on, no data passes in either direction, although the connections stay open, until `reopen` is called. */
  blackHole(): void {
    this.#isHole = true
    for (const socket of this.#sockets) socket.pause()
  }

  reopen(): void {
    this.#isHole = false
    for (const socket of this.#sockets) socket.resume()
  }

  /** Destroys every connection now. */
  cut(): void {
    if (this.#sockets.size > 0) this.cuts += 1
    for (const socket of this.#sockets) socket.destroy()
    this.#sockets.clear()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }

  async #pass(near: Socket): Promise<void> {
    near.on('error', () => near.destroy())
    const far = (await dialEngine(this.#lab.home))?.socket
    if (!far) return void near.destroy()
    far.on('error', () => far.destroy())
    for (const socket of [near, far]) {
      this.#sockets.add(socket)
      socket.once('close', () => {
        this.#sockets.delete(socket)
        near.destroy()
        far.destroy()
      })
    }
    const pass = (from: Socket, to: Socket): void => {
      from.on('data', (chunk: Buffer) => {
        if (this.delayMs === 0) to.write(chunk)
        else setTimeout(() => to.write(chunk), this.delayMs)
      })
      if (this.#isHole) from.pause()
    }
    pass(near, far)
    pass(far, near)
  }
}

/** The recorded events of a session, as a client receives them. */
export class Followed {
  readonly events: RecordedEvent[] = []

  constructor(link: EngineLink, sessionId: string, since = 0) {
    link.follow(sessionId, since, { event: (event) => this.#add(event) })
  }

  #add(event: SessionEvent): void {
    if (isRecorded(event)) this.events.push(event)
  }

  types(): string[] {
    return this.events.map(({ type }) => type)
  }

  /** Waits until this many events of a type have arrived. */
  async has(type: RecordedEvent['type'], count = 1, limitMs = 30_000): Promise<void> {
    await until(() => this.types().filter((one) => one === type).length >= count, `${count} × ${type}`, limitMs)
  }
}
