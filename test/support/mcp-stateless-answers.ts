/** A received message, with its HTTP headers, if any. */
export interface StatelessMessage {
  id?: number | string
  method?: string
  params?: Record<string, unknown>
  headers?: Record<string, string | string[] | undefined>
}

/** The answers of a server of the revision without sessions; written without a library, so that it can misbehave. */
export interface StatelessServer {
  /**
   * Answers a request; `send` is for messages before the answer, or on a stream that stays open. Undefined: no answer.
   */
  answer(message: StatelessMessage, send: (message: object) => void): Promise<Record<string, unknown> | undefined>
  /** Notifies subscribers of a change. */
  change(method: string, params?: Record<string, unknown>): void
  /** Received messages, in order. */
  readonly seen: StatelessMessage[]
}

export interface StatelessOptions {
  /** Also answers `initialize`, with a tool that says so. */
  alsoOlder?: boolean
  /** The revisions it supports. */
  versions?: string[]
  /** How long its list of tools is fresh, as it claims. */
  ttlMs?: number
  /** Rejects the first `server/discover` with its supported revisions. */
  rejectsFirst?: boolean
  /** Rejects `subscriptions/listen`. */
  refusesListen?: boolean
}

const META = 'io.modelcontextprotocol/'
const VERSION = '2026-07-28'
const CAPABILITIES = {
  tools: { listChanged: true },
  prompts: { listChanged: true },
  resources: { listChanged: true, subscribe: true },
  completions: {},
  logging: {},
  unheardOf: { deep: [1] },
}

const tool = (name: string, more: object = {}): object => ({
  name,
  description: `Does ${name}.`,
  inputSchema: { type: 'object', properties: { text: { type: 'string' } } },
  ...more,
})
const routed = (mark: unknown, type: string): object => ({
  inputSchema: { type: 'object', properties: { text: { type, 'x-mcp-header': mark } } },
})
const form = (message: string): object => ({
  method: 'elicitation/create',
  params: {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', properties: { dish: { type: 'string' } }, required: ['dish'] },
  },
})
const page = {
  method: 'elicitation/create',
  params: { mode: 'url', message: 'Pay for it.', url: 'https://pay.example/7' },
}
const sampling = {
  method: 'sampling/createMessage',
  params: { messages: [{ role: 'user', content: { type: 'text', text: 'What is it?' } }], maxTokens: 50 },
}

/** What each tool requests before it answers. */
const WANTS: Readonly<Record<string, (round: number) => object | undefined>> = {
  'asks-form': (round) => (round === 0 ? { order: form('What may it be?') } : undefined),
  'asks-twice': (round) => (round < 2 ? { [`order${round}`]: form(`Course ${round + 1}?`) } : undefined),
  'asks-both': (round) => (round === 0 ? { a: form('The first?'), b: form('The second?') } : undefined),
  'asks-page': (round) => (round === 0 ? { pay: page } : undefined),
  'asks-model': (round) => (round === 0 ? { thought: sampling } : undefined),
  'asks-roots': (round) => (round === 0 ? { where: { method: 'roots/list' } } : undefined),
  'asks-oddly': (round) => (round === 0 ? { odd: { method: 'no/such', params: {} } } : undefined),
  // Only needs to be called again.
  'asks-later': (round) => (round < 2 ? {} : undefined),
  'asks-for-ever': () => ({ where: { method: 'roots/list' } }),
}

export function statelessServer(options: StatelessOptions = {}): StatelessServer {
  const { versions = [VERSION], ttlMs = 0 } = options
  const seen: StatelessMessage[] = []
  const listeners = new Map<number | string, { filter: Record<string, unknown>; send: (message: object) => void }>()
  const cancelled: unknown[] = []
  let isRejected = options.rejectsFirst !== true
  let headerOfMoved = 'Old-Name'
  let extraTools = 0

  const complete = (result: object): Record<string, unknown> => ({ resultType: 'complete', unheardOf: true, ...result })
  const text = (value: string): Record<string, unknown> => complete({ content: [{ type: 'text', text: value }] })
  const listed = (result: object): Record<string, unknown> => complete({ ttlMs, cacheScope: 'private', ...result })
  const fail = (code: number, message: string, data?: object): never => {
    throw Object.assign(new Error(message), { code, data })
  }

  function tools(): unknown[] {
    const names = [
      'echo',
      'look',
      'cancelled',
      'grow',
      'logs',
      'progress',
      'hang',
      'no-type',
      'odd-type',
      'move',
      'asked',
      ...Object.keys(WANTS),
    ]
    return [
      ...names.map((name) => tool(name)),
      ...Array.from({ length: extraTools }, (_, n) => tool(`extra${n + 1}`)),
      tool('needs-task', { execution: { taskSupport: 'required' } }),
      tool('routed', routed('Text', 'string')),
      tool('moved', routed(headerOfMoved, 'string')),
      tool('badly-routed', routed('Text', 'number')),
      null,
      { name: 42 },
      tool('bad-schema', { inputSchema: 'none' }),
    ]
  }

  function change(method: string, params: Record<string, unknown> = {}): void {
    for (const [id, { filter, send }] of listeners) {
      const wants =
        method === 'notifications/tools/list_changed'
          ? filter['toolsListChanged'] === true
          : (filter['resourceSubscriptions'] as string[] | undefined)?.includes(String(params['uri']))
      if (wants) send({ method, params: { ...params, _meta: { [`${META}subscriptionId`]: id } } })
    }
  }

  async function call(
    message: StatelessMessage,
    send: (message: object) => void,
  ): Promise<Record<string, unknown> | undefined> {
    const params = message.params ?? {}
    const name = String(params['name'])
    const input = (params['arguments'] ?? {}) as Record<string, unknown>
    const wants = WANTS[name]
    if (wants) return inRounds(name, params, wants)
    switch (name) {
      case 'cancelled':
        return text(JSON.stringify(cancelled))
      case 'asked':
        return text(JSON.stringify(seen.map(({ method }) => method)))
      case 'grow':
        extraTools += 1
        change('notifications/tools/list_changed')
        return text('grown')
      case 'logs':
        if (metaOf(params)[`${META}logLevel`] === 'info')
          send({ method: 'notifications/message', params: { level: 'info', data: 'a log line' } })
        return text('logged')
      case 'progress':
        send({
          method: 'notifications/progress',
          params: { progressToken: metaOf(params)['progressToken'], progress: 1, total: 1, message: 'half way' },
        })
        return text('progressed')
      case 'hang':
        return undefined
      case 'no-type':
        return { content: [{ type: 'text', text: 'without a type' }] }
      case 'odd-type':
        return { resultType: 'riddle' }
      case 'move':
        headerOfMoved = 'New-Name'
        return text('moved')
      case 'moved':
        if (message.headers && message.headers[`mcp-param-${headerOfMoved.toLowerCase()}`] === undefined)
          fail(-32_020, `The header Mcp-Param-${headerOfMoved} is missing.`)
        return text('found')
      case 'routed':
        return text(JSON.stringify(message.headers?.['mcp-param-text'] ?? null))
      case 'badly-routed':
        return text('this should not have been called')
      default:
        return text(String(input['text']))
    }
  }

  /** The state of the rounds is only in `requestState`, which is checked when it returns. */
  function inRounds(
    name: string,
    params: Record<string, unknown>,
    wants: (round: number) => object | undefined,
  ): Record<string, unknown> {
    const state =
      params['requestState'] === undefined ? { name, round: 0, got: {} } : readState(name, params['requestState'])
    const got = { ...state.got, ...(params['inputResponses'] as object | undefined) }
    const next = wants(state.round)
    if (!next) return text(JSON.stringify(got))
    const requestState = Buffer.from(JSON.stringify({ name, round: state.round + 1, got })).toString('base64')
    return { resultType: 'input_required', requestState, ...(Object.keys(next).length > 0 && { inputRequests: next }) }
  }

  function readState(name: string, value: unknown): { round: number; got: object } {
    const state = JSON.parse(Buffer.from(String(value), 'base64').toString('utf8')) as {
      name: string
      round: number
      got: object
    }
    return state.name === name ? state : fail(-32_602, 'This is the state of another call.')
  }

  async function result(
    message: StatelessMessage,
    send: (message: object) => void,
  ): Promise<Record<string, unknown> | undefined> {
    const { id, method, params = {} } = message
    if (options.alsoOlder && method === 'initialize')
      return {
        protocolVersion: params['protocolVersion'],
        capabilities: { tools: {} },
        serverInfo: { name: 'both', version: '1' },
      }
    const asked = metaOf(params)[`${META}protocolVersion`]
    if (!options.alsoOlder && asked !== VERSION)
      fail(-32_022, 'Unsupported protocol version', { supported: versions, requested: String(asked) })
    switch (method) {
      case 'server/discover':
        if (!isRejected) {
          isRejected = true
          fail(-32_022, 'Unsupported protocol version', { supported: versions, requested: 'another' })
        }
        return listed({
          supportedVersions: versions,
          capabilities: CAPABILITIES,
          instructions: 'Be kind.',
          _meta: { [`${META}serverInfo`]: { name: 'stateless test', version: '2.0' } },
        })
      case 'tools/list':
        return listed({ tools: tools() })
      case 'prompts/list':
        return listed({ prompts: [{ name: 'greet', description: 'Greets.' }] })
      case 'prompts/get':
        return complete({ messages: [{ role: 'user', content: { type: 'text', text: 'Greet them.' } }] })
      case 'resources/list':
        return listed({ resources: [{ uri: 'note://1', name: 'note' }] })
      case 'resources/templates/list':
        return listed({ resourceTemplates: [] })
      case 'resources/read':
        return listed({ contents: [{ uri: params['uri'], text: 'what the note says' }, 7] })
      case 'tools/call':
        return call(message, send)
      case 'subscriptions/listen': {
        if (options.refusesListen) fail(-32_601, 'no subscriptions here')
        const filter = (params['notifications'] ?? {}) as Record<string, unknown>
        listeners.set(id!, { filter, send })
        send({
          method: 'notifications/subscriptions/acknowledged',
          params: { notifications: filter, _meta: { [`${META}subscriptionId`]: id } },
        })
        return undefined
      }
      default:
        return fail(-32_601, `no method ${method}`)
    }
  }

  return {
    seen,
    change,
    async answer(message, send) {
      seen.push(message)
      const { id, method, params } = message
      if (method === 'notifications/cancelled') {
        cancelled.push(params?.['requestId'])
        listeners.delete(params?.['requestId'] as number)
      }
      if (id === undefined || method === undefined) return undefined
      try {
        const said = await result(message, send)
        return said && { id, result: said }
      } catch (error) {
        const { code = -32_603, data, message: why } = error as Error & { code?: number; data?: unknown }
        return { id, error: { code, message: why, ...(data !== undefined && { data }) } }
      }
    },
  }
}

function metaOf(params: Record<string, unknown>): Record<string, unknown> {
  return (params['_meta'] ?? {}) as Record<string, unknown>
}
