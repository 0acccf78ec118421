import { existsSync } from 'node:fs'
import { request as httpRequest, type IncomingMessage, type OutgoingHttpHeaders } from 'node:http'
import { request as httpsRequest, type RequestOptions } from 'node:https'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { KubeConfig } from '@kubernetes/client-node'
import { WebSocket } from 'ws'
import { errorText } from '../../../../shared/error-text'
import { CodedError } from '../../../../shared/errors'
import type { LaunchOf } from '../../../../shared/model/place/place'
import { plainLine } from '../remote/plain-text'
import { refusal, setup, unreachable } from './cluster-failure'

/** An object of the cluster. */
export type ClusterObject = Record<string, unknown>

export interface ClusterRequest {
  body?: unknown
  contentType?: string
  signal?: AbortSignal | undefined
}

const TOKEN_IN_CLUSTER = '/var/run/secrets/kubernetes.io/serviceaccount/token'
const TIMEOUT_MS = 30_000
const MAX_ANSWER_BYTES = 8 << 20
/** The only version that can signal the end of stdin, which copies need. */
const EXEC_PROTOCOL = 'v5.channel.k8s.io'

/** A cluster and login from the user's kubeconfig. */
export class Cluster {
  readonly namespace: string
  readonly #config: KubeConfig
  readonly #server: string

  private constructor(config: KubeConfig, server: string, namespace: string) {
    this.#config = config
    this.#server = server.replace(/\/+$/, '')
    this.namespace = namespace
  }

  /** Reads the kubeconfig without connecting. Rejects with what is missing in it. */
  static async open({ configFile, context, namespace }: LaunchOf<'kubernetes'>): Promise<Cluster> {
    const named = configFile === undefined ? undefined : configFile.replace(/^~(?=\/)/, homedir())
    if (named !== undefined && !existsSync(named)) throw setup(`There is no kubeconfig ${named}.`)
    if (named === undefined && !hasKubeconfig())
      throw setup(
        'There is no kubeconfig: neither KUBECONFIG nor ~/.kube/config. Get one for your cluster, or name it.',
      )
    const { KubeConfig } = await import('@kubernetes/client-node/dist/config.js')
    const config = new KubeConfig()
    try {
      if (named === undefined) config.loadFromDefault()
      else config.loadFromFile(named)
    } catch (error) {
      throw setup(`The kubeconfig cannot be read: ${plainLine(errorText(error), 300)}`, error)
    }
    const names = config.getContexts().map(({ name }) => name)
    if (context !== undefined) {
      if (!names.includes(context))
        throw setup(`The kubeconfig has no context ${context}. It has: ${names.join(', ') || 'none'}.`)
      config.setCurrentContext(context)
    }
    const server = config.getCurrentCluster()?.server
    if (server === undefined)
      throw setup(`The kubeconfig has no current context. Choose one with --context: ${names.join(', ') || 'none'}.`)
    if (!/^https?:\/\//.test(server)) throw setup(`The kubeconfig names no server that can be used: ${server}.`)
    const inContext = config.getContextObject(config.getCurrentContext())?.namespace
    return new Cluster(config, server, namespace ?? inContext ?? 'default')
  }

  /** Makes a request; rejects with a `CodedError`, or with an `ObjectMissing` if the object does not exist. */
  async request(
    method: string,
    path: string,
    { body, contentType, signal }: ClusterRequest = {},
  ): Promise<ClusterObject> {
    const options = await this.#options()
    const text = body === undefined ? undefined : JSON.stringify(body)
    const headers = {
      ...(options.headers as OutgoingHttpHeaders),
      accept: 'application/json',
      ...(text !== undefined && {
        'content-type': contentType ?? 'application/json',
        'content-length': Buffer.byteLength(text),
      }),
    }
    const limit = AbortSignal.timeout(TIMEOUT_MS)
    const until = signal ? AbortSignal.any([signal, limit]) : limit
    const { status, answer } = await this.#send(path, { ...options, method, headers, signal: until }, text).catch(
      (error: unknown) => {
        signal?.throwIfAborted()
        throw unreachable(this.#server, error)
      },
    )
    if (status < 200 || status > 299) throw refusal({ status, answer, namespace: this.namespace })
    try {
      return JSON.parse(answer) as ClusterObject
    } catch (error) {
      throw new CodedError('place.unreachable', `${this.#server} sent no JSON. Is it the server of a cluster?`, {
        cause: error,
      })
    }
  }

  /** Opens a websocket for a command in a pod. Rejects with a `CodedError`. */
  async connect(path: string): Promise<WebSocket> {
    const options = await this.#options()
    const socket = new WebSocket(`${this.#server.replace(/^http/, 'ws')}${path}`, [EXEC_PROTOCOL], {
      ...(options as object),
      handshakeTimeout: TIMEOUT_MS,
      perMessageDeflate: false,
      maxPayload: MAX_ANSWER_BYTES,
    })
    return new Promise((resolve, reject) => {
      // Data that arrives with the handshake response waits for its reader.
      socket.once('open', () => (socket.pause(), resolve(socket)))
      socket.once('unexpected-response', (_request, response: IncomingMessage) => {
        void readAnswer(response).then(
          (answer) => reject(refusal({ status: response.statusCode ?? 0, answer, namespace: this.namespace })),
          (error: unknown) => reject(unreachable(this.#server, error)),
        )
      })
      socket.once('error', (error) =>
        reject(
          /subprotocol/i.test(error.message)
            ? setup('This cluster is too old: Kubernetes 1.30 or newer is needed.', error)
            : unreachable(this.#server, error),
        ),
      )
    })
  }

  async #send(path: string, options: RequestOptions, text?: string): Promise<{ status: number; answer: string }> {
    const response = await new Promise<IncomingMessage>((resolve, reject) => {
      const request = this.#server.startsWith('https:') ? httpsRequest : httpRequest
      const asked = request(`${this.#server}${path}`, options, resolve)
      asked.on('error', reject)
      asked.end(text)
    })
    return { status: response.statusCode ?? 0, answer: await readAnswer(response) }
  }

  async #options(): Promise<RequestOptions> {
    const options: RequestOptions = {}
    try {
      await this.#config.applyToHTTPSOptions(options)
    } catch (error) {
      throw setup(`The login that the kubeconfig names failed: ${plainLine(errorText(error), 300)}`, error)
    }
    return options
  }
}

function hasKubeconfig(): boolean {
  const { KUBECONFIG, HOME = homedir() } = process.env
  return (
    (KUBECONFIG !== undefined && KUBECONFIG !== '') ||
    existsSync(join(HOME, '.kube', 'config')) ||
    existsSync(TOKEN_IN_CLUSTER)
  )
}

async function readAnswer(response: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  let bytes = 0
  for await (const piece of response as AsyncIterable<Buffer>) {
    bytes += piece.length
    if (bytes > MAX_ANSWER_BYTES) {
      response.destroy()
      throw new Error('its answer is too long')
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}
