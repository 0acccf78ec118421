import { spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeCertificate } from '../certificate'
import { WebSocketServer, type RawData, type WebSocket } from 'ws'

/** An object of the cluster. */
export interface ClusterThing {
  metadata?: { name: string; namespace?: string; labels?: Record<string, string>; annotations?: Record<string, string> }
  spec?: Record<string, unknown>
  status?: Record<string, unknown>
}

/**
 * A Kubernetes API server on loopback that answers like a real one with kubernetes-sigs/agent-sandbox v0.5.6: the
 * paths, objects, conditions and refusals are those of its sources; a command in a pod runs in a folder of this
 * machine, over the WebSocket protocol of `pods/exec`. It schedules nothing automatically: tests control what happens
 * to a Sandbox.
 */
export interface ClusterDouble {
  kubeconfig: string
  server: string
  /** The home folder in its pods. */
  home: string
  /** Every request, as `POST /apis/…`. */
  requests: string[]
  /** The objects by their path. */
  objects: Map<string, ClusterThing>
  /** What happens to a Sandbox that should run; default: its pod is ready immediately. */
  schedule: (sandbox: ClusterThing, path: string) => void
  /** A refusal to send instead of the answer to a request. */
  refuse: ((request: string) => { status: number; body: string } | undefined) | undefined
  /** The version of the exec protocol that it supports. */
  protocol: string
  /** Makes the pod of a Sandbox ready. */
  makeReady(sandbox: ClusterThing): void
  /** Ends every running command, as a lost network does. */
  cut(): void
  close(): Promise<void>
}

const TOKEN = 'token-of-the-kubeconfig'
const SANDBOXES = /^\/apis\/agents\.x-k8s\.io\/v1beta1\/namespaces\/([^/]+)\/sandboxes(?:\/([^/]+))?$/
const CLAIMS = /^\/apis\/extensions\.agents\.x-k8s\.io\/v1beta1\/namespaces\/([^/]+)\/sandboxclaims(?:\/([^/]+))?$/
const PODS = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)$/
const EXEC = /^\/api\/v1\/namespaces\/([^/]+)\/pods\/([^/]+)\/exec$/

/** The object in a refusal of an API server. */
export function status(code: number, reason: string, message: string): { status: number; body: string } {
  return {
    status: code,
    body: JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, reason, code }),
  }
}

export async function startClusterDouble(): Promise<ClusterDouble> {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-cluster-'))
  const home = join(folder, 'home')
  mkdirSync(home)
  const objects = new Map<string, ClusterThing>()
  const requests: string[] = []
  const sockets = new Set<Socket>()
  const children = new Set<ReturnType<typeof spawn>>()
  const podPath = (sandbox: ClusterThing): string =>
    `/api/v1/namespaces/${sandbox.metadata?.namespace}/pods/${sandbox.metadata?.name}`

  const setPod = (sandbox: ClusterThing, pod: ClusterThing): void => void objects.set(podPath(sandbox), pod)
  const makeReady = (sandbox: ClusterThing): void => {
    setPod(sandbox, { status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] } })
    sandbox.status = { conditions: [{ type: 'Ready', status: 'True', reason: 'DependenciesReady', message: '' }] }
  }
  const double: ClusterDouble = {
    kubeconfig: join(folder, 'kubeconfig'),
    server: '',
    home,
    requests,
    objects,
    schedule: makeReady,
    refuse: undefined,
    protocol: 'v5.channel.k8s.io',
    makeReady,
    cut() {
      for (const socket of sockets) socket.destroy()
    },
    async close() {
      for (const child of children) child.kill('SIGKILL')
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
      rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }

  const answer = (request: string, path: string, body: ClusterThing | undefined): { status: number; body: string } => {
    const refused = double.refuse?.(request)
    if (refused) return refused
    const kind = SANDBOXES.test(path) ? 'sandboxes' : CLAIMS.test(path) ? 'sandboxclaims' : undefined
    const [method = ''] = request.split(' ')
    const [, namespace = '', name] = SANDBOXES.exec(path) ?? CLAIMS.exec(path) ?? PODS.exec(path) ?? []
    const ok = (value: ClusterThing): { status: number; body: string } => ({ status: 200, body: JSON.stringify(value) })
    if (PODS.test(path)) {
      const pod = objects.get(path)
      return pod ? ok(pod) : status(404, 'NotFound', `pods "${name}" not found`)
    }
    if (kind === undefined) return { status: 404, body: '404 page not found\n' }
    if (method === 'POST' && body) {
      const { name: chosen = '' } = body.metadata ?? {}
      const made = { ...body, metadata: { ...body.metadata, name: chosen, namespace, annotations: {} } }
      const at = `${path}/${chosen}`
      if (objects.has(at)) return status(409, 'AlreadyExists', `${kind} "${chosen}" already exists`)
      objects.set(at, made)
      double.schedule(made, at)
      return ok(made)
    }
    const found = objects.get(path)
    if (!found) return status(404, 'NotFound', `${kind}.agents.x-k8s.io "${name}" not found`)
    if (method === 'PATCH' && body) {
      found.spec = { ...found.spec, ...body.spec }
      if (found.spec['operatingMode'] === 'Suspended') {
        objects.delete(podPath(found))
        found.status = { conditions: [{ type: 'Ready', status: 'False', reason: 'SandboxSuspended', message: '' }] }
      } else double.schedule(found, path)
    } else if (method === 'DELETE') {
      objects.delete(path)
      objects.delete(podPath(found))
    }
    return ok(found)
  }

  const certificate = makeCertificate(folder)
  const server = createServer(certificate, (request: IncomingMessage, response: ServerResponse) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part: string) => (text += part))
    request.on('end', () => {
      const path = (request.url ?? '').split('?')[0]!
      const line = `${request.method} ${path}`
      requests.push(line)
      const told =
        request.headers.authorization === `Bearer ${TOKEN}`
          ? answer(line, path, text === '' ? undefined : (JSON.parse(text) as ClusterThing))
          : status(401, 'Unauthorized', 'Unauthorized')
      response.writeHead(told.status, { 'content-type': 'application/json' }).end(told.body)
    })
  })
  server.on('secureConnection', (socket: Socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  const commands = new WebSocketServer({
    noServer: true,
    handleProtocols: (offered) => (offered.has(double.protocol) ? double.protocol : false),
  })
  server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
    const url = new URL(request.url ?? '', 'http://cluster')
    requests.push(`GET ${url.pathname}`)
    const [, namespace, name] = EXEC.exec(url.pathname) ?? []
    const refused =
      double.refuse?.(`GET ${url.pathname}`) ??
      (objects.has(`/api/v1/namespaces/${namespace}/pods/${name}`)
        ? undefined
        : status(404, 'NotFound', `pods "${name}" not found`))
    if (refused) {
      socket.end(
        `HTTP/1.1 ${refused.status} Refused\r\ncontent-type: application/json\r\n` +
          `content-length: ${Buffer.byteLength(refused.body)}\r\n\r\n${refused.body}`,
      )
      return
    }
    commands.handleUpgrade(request, socket, head, (opened) => run(opened, url.searchParams.getAll('command')))
  })

  /** Runs a command as the kubelet does: the first byte selects the stream, and the status is sent at the end. */
  const run = (socket: WebSocket, [program = 'true', ...args]: string[]): void => {
    const child = spawn(program, args, {
      cwd: home,
      env: { HOME: home, PATH: '/usr/bin:/bin', TRESTLE_KEY_STORE: 'file' },
    })
    children.add(child)
    const send = (stream: number, data: Buffer): void => socket.send(Buffer.concat([Buffer.of(stream), data]))
    // The real one sends an empty message to signal that it is connected.
    send(1, Buffer.alloc(0))
    child.stdout.on('data', (data: Buffer) => send(1, data))
    child.stderr.on('data', (data: Buffer) => send(2, data))
    child.stdin.on('error', () => undefined)
    child.once('close', (code) => {
      children.delete(child)
      const failed = {
        status: 'Failure',
        reason: 'NonZeroExitCode',
        details: { causes: [{ reason: 'ExitCode', message: `${code ?? 137}` }] },
      }
      send(3, Buffer.from(JSON.stringify(code === 0 ? { status: 'Success' } : failed)))
      socket.close()
    })
    socket.on('message', (data: RawData) => {
      const message = data as Buffer
      if (message[0] === 0) child.stdin.write(message.subarray(1))
      else if (message[0] === 255) child.stdin.end()
    })
    socket.on('close', () => child.stdin.end())
    socket.on('error', () => undefined)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  double.server = `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  writeFileSync(
    double.kubeconfig,
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'lab',
      clusters: [{ name: 'lab', cluster: { server: double.server, 'certificate-authority': certificate.authority } }],
      users: [{ name: 'ada', user: { token: TOKEN } }],
      contexts: [{ name: 'lab', context: { cluster: 'lab', user: 'ada', namespace: 'agents' } }],
    }),
  )
  return double
}
