import { readdirSync, readFileSync } from 'node:fs'
import type { AppPush } from '../../src/shared/events/push'
import type { Task } from '../../src/shared/model/task/task'
import { connect } from '../../src/renderer/client/connect'
import type { Connection } from '../../src/renderer/client/connection'
import { webSocketTransport } from '../../src/renderer/client/transports'
import { startModelServer, type ModelServer } from './model-server'
import type { ScriptedCall } from './model-script'
import { nodeSockets } from './node-socket'
import { configFor, createScratch, writeConfig, type Scratch } from './scratch'
import { serveApp, type ServedApp } from './served-app'
import { until } from './until'

/**
 * The built program's web host, a client like the page's, and a scripted model that makes the requested tool calls: a
 * black-box driver of the product. The app can be killed and restarted with the same home.
 */
export class AppWithAgent {
  readonly scratch: Scratch
  readonly pushes: AppPush[] = []
  private readonly server: ModelServer
  private readonly calls: ScriptedCall[][]
  private app: ServedApp | undefined
  private connection: Connection | undefined
  private sessionId = ''
  private readonly program: readonly string[] | undefined

  private constructor(scratch: Scratch, server: ModelServer, calls: ScriptedCall[][], program?: readonly string[]) {
    this.program = program
    this.scratch = scratch
    this.server = server
    this.calls = calls
  }

  /** `program`: how to start the program; default: the usual way. */
  static async start(config = '', program?: readonly string[]): Promise<AppWithAgent> {
    const scratch = createScratch()
    const calls: ScriptedCall[][] = []
    const server = await startModelServer({
      script: () => {
        const toolCalls = calls.shift()
        return toolCalls ? { text: '', toolCalls } : { text: 'well' }
      },
    })
    // Tests inspect tasks from outside, which requires running without a sandbox.
    const rules = '[sandbox]\nmode = "off"\n\n[[permission.rules]]\ndecision = "allow"\npattern = "Bash"\n'
    writeConfig(scratch.home, configFor(server.baseUrl, { more: `${config}\n${rules}`, loop: 'max_steps = 200' }))
    const made = new AppWithAgent(scratch, server, calls, program)
    await made.open()
    return made
  }

  get client(): Connection['client'] {
    return this.connection!.client
  }

  get pid(): number {
    return this.app!.pid
  }

  /** Starts the program (again). */
  async open(): Promise<void> {
    const { PATH = '', HOME = '' } = process.env
    this.app = await serveApp(
      { PATH, HOME, TRESTLE_KEY_STORE: 'file', TRESTLE_HOME: this.scratch.home },
      [],
      this.program,
    )
    const { origin, hash } = new URL(this.app.url)
    this.connection = connect(
      webSocketTransport(nodeSockets().open, `${origin.replace('http', 'ws')}/socket`, hash.slice('#token='.length)),
    )
    if (this.sessionId === '') {
      this.sessionId = (await this.client.session.create({ folder: this.scratch.project, mode: 'auto' })).sessionId
    }
    void this.follow()
  }

  /**
   * Makes the agent execute these calls in one step; resolves with the requests that follow: what the model learns
   * about them.
   */
  async call(calls: ScriptedCall[]): Promise<string> {
    const before = this.server.requests.length
    this.calls.push(calls)
    const parts = [{ type: 'text' as const, text: 'continue' }]
    await this.client.session.prompt({ sessionId: this.sessionId, parts })
    await until(
      () => this.calls.length === 0 && this.server.requests.length >= before + 2,
      'the agent to make its calls and see their results',
      60_000,
    )
    return JSON.stringify(
      this.server.requests
        .slice(before + 1)
        .map(({ body }) => (body['messages'] as unknown[]).slice(-calls.length - 1)),
    )
  }

  /** Makes the agent start these commands in the background, all in one step. */
  async inBackground(commands: readonly string[]): Promise<void> {
    await this.call(
      commands.map((command, index) => ({
        name: 'Bash',
        // Identical calls would run only once.
        input: {
          command: `${command} # ${index}`,
          description: 'load',
          run_in_background: true,
          disable_timeout: true,
        },
      })),
    )
  }

  tasks(activeOnly: boolean): Promise<Task[]> {
    return this.client.task.list({ activeOnly, limit: 10_000 })
  }

  async kill(): Promise<void> {
    this.connection?.close()
    await this.app?.kill()
  }

  /** Ends everything and removes the home. */
  async end(): Promise<void> {
    await this.client.task.stopAll({}).catch(() => {})
    this.connection?.close()
    await this.app?.close()
    await this.server.close()
    await until(() => hostsOf(this.scratch.home).length === 0, 'the idle task host to exit', 20_000)
    this.scratch.remove()
  }

  private async follow(): Promise<void> {
    try {
      for await (const push of await this.client.push.app()) this.pushes.push(push)
    } catch {
      // The app has exited.
    }
  }
}

/** The running task hosts of a home. */
export function hostsOf(home: string): number[] {
  return processIds().filter((pid) => {
    const words = read(`/proc/${pid}/cmdline`).split('\0')
    return words.includes(home) && words.some((word) => word.includes('task-host'))
  })
}

/**
 * Processes with this word in their command line, including those in their own PID namespace, where they have another
 * id.
 */
export function processesWith(word: string): number[] {
  return processIds().filter((pid) => read(`/proc/${pid}/cmdline`).split('\0').includes(word))
}

/** The peak resident memory of a process so far, and its current memory; MB. */
export function memoryOf(pid: number): { peak: number; now: number } {
  const status = read(`/proc/${pid}/status`)
  const mb = (name: string): number => Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(status)?.[1] ?? 0) / 1024
  return { peak: mb('VmHWM'), now: mb('VmRSS') }
}

function processIds(): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
