import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createEngine } from '../../src/main/engine/engine'
import type { Engine } from '../../src/main/engine/engine-api'
import { type RecordedEvent, type SessionEvent, isRecorded } from '../../src/shared/events/event'
import { stdioServer } from './mcp-lab'
import type { RecordedRequest, ScriptedCall, ScriptStep, WireName } from './model-script'
import { startModelServer, type ModelServer } from './model-server'
import { brokenAt, piecesOf } from './request-pieces'
import { configFor, createScratch, writeConfig, type Scratch } from './scratch'
import { strictModel, type StrictModel } from './strict-model'
import { until } from './until'

/** Only after one of these may a request start differently from the previous one. */
const BREAKS: ReadonlySet<RecordedEvent['type']> = new Set(['compaction.finished', 'context.trimmed'])
const CONFIG = `[tool_search]\nenabled = true\nmin_pct = 0\nmin_tokens = 0\n[mcp]\nstart_wait_s = 60\n`

/** The model's answer, or an action before it. */
export type Turn = ScriptStep | (() => ScriptStep | Promise<ScriptStep>)

export interface ReplayOptions {
  wire: WireName
  /** Context window of both models; the server counts tokens, and rejects longer requests. */
  window: number
  /** Names of the models `local/scripted` and `local/other`. */
  models?: readonly [string, string]
  maxSteps?: number
  /** Settings, as TOML, before all tables. */
  settings?: string
}

interface Sent {
  request: RecordedRequest
  /** Events recorded since the previous request. */
  before: RecordedEvent[]
}

/** A session with a scripted model and an MCP server whose tools are loaded on demand; all its requests are kept. */
export class PrefixReplay {
  readonly scratch: Scratch
  readonly requests: Sent[] = []
  /** All text of answers as it arrived, including those that were cut off. */
  heard = ''
  readonly #options: ReplayOptions
  #strict!: StrictModel
  #engine!: Engine
  #model!: ModelServer
  #events: RecordedEvent[] = []
  #steps: Turn[] = []
  #session = ''
  /** How a prompt is sent to the session: in this process, unless a test uses a host. */
  send = async (text: string): Promise<unknown> => this.#engine.sessions.prompt(this.#session, [{ type: 'text', text }])

  constructor(options: ReplayOptions, files: Record<string, string> = {}) {
    this.#options = options
    this.scratch = createScratch({ 'a.txt': 'one\n', 'b.txt': 'two\n', ...files })
  }

  async begin(): Promise<void> {
    const { wire, window } = this.#options
    this.#strict = strictModel({ wire, window, bytesPerToken: 3.5 })
    this.#model = await startModelServer({
      script: async (request, index) => {
        this.requests.push({ request, before: this.#events })
        this.#events = []
        const step = this.#steps.shift() ?? { text: 'Well.' }
        return this.#strict.play(request, index, {
          thinking: 'Hm.',
          ...(typeof step === 'function' ? await step() : step),
        })
      },
    })
    this.configure(this.#options.settings)
    this.serve([])
    await this.#open(true)
    this.#session = (await this.#engine.sessions.create({ folder: this.scratch.project, mode: 'auto' })).sessionId
    this.#listen()
  }

  /** Writes the configuration, for the next start. */
  configure(settings = ''): void {
    const { wire, window, models: [own, other] = ['scripted', 'other'], maxSteps = 100 } = this.#options
    const config = configFor(this.#model.baseUrl, {
      wire,
      more: `${settings}\n${CONFIG}`,
      loop: `max_steps = ${maxSteps}`,
    })
      .replace('context_window = 128000', `context_window = ${window}`)
      .replace('model = "scripted"', `model = "${own}"`)
    const second =
      `[models."local/other"]\nprovider = "local"\nmodel = "${other}"\n` +
      `context_window = ${window}\ncapabilities = ["tools", "image_in", "thinking"]\n`
    writeConfig(this.scratch.home, `${config}\n${second}`)
  }

  /** Sets the flags of the MCP server `a`, from its next start on. */
  serve(flags: readonly string[]): void {
    this.write('mcp.json', JSON.stringify({ mcpServers: { a: stdioServer(flags) } }), this.scratch.home)
  }

  async #open(interactive: boolean): Promise<void> {
    this.#engine = await createEngine({ version: 'test', home: this.scratch.home, interactive, watch: false })
  }

  #listen(): void {
    this.#engine.sessions.listen(this.#session, (event: SessionEvent) => {
      if (isRecorded(event)) this.#events.push(event)
      else if (event.type === 'text.delta') this.heard += event.text
    })
  }

  get engine(): Engine {
    return this.#engine
  }

  get session(): string {
    return this.#session
  }

  /** Starts a turn in which the model gives these answers, and then a text. */
  async prompt(...steps: Turn[]): Promise<number> {
    this.#steps = [...steps]
    const { turns } = this.#engine.sessions.header(this.#session)
    await this.send(`prompt ${turns + 1}`)
    return turns
  }

  /** The same, until the turn has ended. */
  async turn(...steps: Turn[]): Promise<void> {
    await this.ended(await this.prompt(...steps))
    const { failure } = this.of('turn.finished').at(-1)!
    if (failure) throw new Error(failure.message)
  }

  /** Resolves when this many turns and one more have ended. */
  async ended(turns: number): Promise<void> {
    const isOver = (): boolean => {
      const header = this.#engine.sessions.header(this.#session)
      return header.turns > turns && header.turnId === undefined
    }
    await until(isOver, `turn ${turns + 1} to end`, 60_000)
  }

  of<Type extends RecordedEvent['type']>(type: Type): Extract<RecordedEvent, { type: Type }>[] {
    return this.#engine.sessions
      .since(this.#session, 0)
      .filter((event): event is Extract<RecordedEvent, { type: Type }> => event.type === type)
  }

  write(path: string, text: string, under = this.scratch.project): void {
    mkdirSync(dirname(join(under, path)), { recursive: true })
    writeFileSync(join(under, path), text)
  }

  async restart({ interactive = true }: { interactive?: boolean } = {}): Promise<void> {
    await this.#engine.close('stop')
    await this.#open(interactive)
    await this.#engine.sessions.open(this.#session, 1)
    this.#listen()
  }

  async end(): Promise<void> {
    await this.#engine.close('stop')
    await this.#model.close()
    this.scratch.remove()
  }

  /** Whether the latest request contains this text. */
  tells(words: string): boolean {
    return JSON.stringify(this.requests.at(-1)!.request.body).includes(words)
  }

  /** How many requests the server has rejected. */
  get refused(): number {
    return this.#strict.requests.filter(({ rejected }) => rejected).length
  }

  /**
   * Requests that do not start with the complete previous one. Another model does not get the thinking of the previous
   * one, and nothing else may differ then: `thinking` lists the places where something does.
   */
  breaks(): { allowed: string[]; others: string[]; thinking: string[] } {
    const found: ReturnType<PrefixReplay['breaks']> = { allowed: [], others: [], thinking: [] }
    let model = modelOf(this.requests[0]!)
    for (const [index, sent] of this.requests.entries()) {
      const last = this.requests[index - 1]
      if (!last) continue
      const now = modelOf(sent) ?? model
      const at = brokenAt(piecesOf(last.request), piecesOf(sent.request))
      if (at !== undefined) {
        const isBare =
          now !== model &&
          brokenAt(piecesOf(last.request, 'without thinking'), piecesOf(sent.request, 'without thinking')) === undefined
        const isAllowed = sent.before.some(({ type }) => BREAKS.has(type))
        found[isAllowed ? 'allowed' : isBare ? 'thinking' : 'others'].push(`request ${index + 1}, ${at}`)
      }
      model = now
    }
    return found
  }
}

/** The model of the turn that started, or that took over, before a request. */
function modelOf({ before }: Sent): string | undefined {
  const event = before.findLast(({ type }) => type === 'turn.started' || type === 'model.fell_back')
  return event?.type === 'turn.started' ? event.model : event?.type === 'model.fell_back' ? event.to : undefined
}

export const read = (path: string): ScriptStep => ({ toolCalls: [{ name: 'Read', input: { path } }] })
export const calls = (...toolCalls: ScriptedCall[]): ScriptStep => ({ toolCalls })
export const onServer = (tool: string, input: Record<string, unknown> = {}): ScriptedCall => ({
  name: 'call_tool',
  input: { name: `mcp__a__${tool}`, arguments: input },
})
