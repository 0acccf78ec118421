import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Socket } from 'node:net'
import { CodedError } from '../../shared/errors'
import { isRecord } from '../../shared/json-fields'

/**
 * Version of the protocol between a client and the engine of a home. It changes when the previous version would
 * misunderstand something; different versions of Trestle can be used together.
 */
export const ENGINE_PROTOCOL = 1

/** How long each side waits for the other's next line, in ms. */
const LINE_LIMIT_MS = 10_000
const MAX_LINE_BYTES = 4096
const NONCE_BYTES = 32

/** What a client knows about the engine once both have proved that they have the key. */
export interface EngineGreeting {
  protocol: number
  /** Version of its Trestle. */
  version: string
  pid: number
}

interface ClientHello {
  trestle: 'engine'
  protocol: number
  version: string
  nonce: string
}

interface EngineHello extends EngineGreeting {
  nonce: string
  proof: string
}

/**
 * The client's side. Resolves when the engine has proved that it has the key, without having learned it from us.
 * Rejects with `engine.foreign`, `engine.version` or `engine.unavailable`.
 */
export async function greetEngine(
  socket: Socket,
  { key, version, protocol = ENGINE_PROTOCOL }: { key: string; version: string; protocol?: number },
): Promise<EngineGreeting> {
  const nonce = newNonce()
  send(socket, { trestle: 'engine', protocol, version, nonce } satisfies ClientHello)
  const hello = await readJson(socket)
  if (!isEngineHello(hello) || !isProof(hello.proof, key, 'engine', nonce, hello))
    throw new CodedError('engine.foreign', 'The program that listens at its socket does not have the key of this home.')
  if (hello.protocol !== protocol) throw new CodedError('engine.version', versionAdvice(hello, { version, protocol }))
  send(socket, { proof: proofOf(key, 'client', nonce, hello) })
  return { protocol: hello.protocol, version: hello.version, pid: hello.pid }
}

/** The engine's side. Resolves with whether the client has the key and speaks our version. */
export async function greetClient(
  socket: Socket,
  { key, version, pid }: { key: string; version: string; pid: number },
): Promise<boolean> {
  const client = await readJson(socket)
  if (!isClientHello(client)) return false
  const hello = { protocol: ENGINE_PROTOCOL, version, pid, nonce: newNonce() }
  send(socket, { ...hello, proof: proofOf(key, 'engine', client.nonce, hello) } satisfies EngineHello)
  // The client reads our version and tells its user what to do.
  if (client.protocol !== ENGINE_PROTOCOL) return false
  const answer = await readJson(socket)
  return isRecord(answer) && isProof(answer['proof'], key, 'client', client.nonce, hello)
}

/** What the user of a client should do about an engine with another protocol version. */
function versionAdvice(engine: EngineGreeting, own: { version: string; protocol: number }): string {
  const facts = `The engine of this home is Trestle ${engine.version}, and this is Trestle ${own.version}.`
  return engine.protocol < own.protocol
    ? `${facts} The engine is older: restart it with "trestle engine restart --when-idle", ` +
        'which keeps running turns, or close the app that holds it.'
    : `${facts} This program is older: update it, or use the one that the engine was started with.`
}

type Side = 'client' | 'engine'

/** Each side signs both nonces and the facts about the engine, so that neither can be replayed or changed. */
function proofOf(
  key: string,
  side: Side,
  clientNonce: string,
  { nonce, protocol, version, pid }: EngineGreeting & { nonce: string },
): string {
  return createHmac('sha256', key)
    .update(JSON.stringify([side, clientNonce, nonce, protocol, version, pid]))
    .digest('hex')
}

function isProof(given: unknown, ...of: Parameters<typeof proofOf>): boolean {
  if (typeof given !== 'string') return false
  const [bytes, expected] = [Buffer.from(given), Buffer.from(proofOf(...of))]
  return bytes.length === expected.length && timingSafeEqual(bytes, expected)
}

function newNonce(): string {
  return randomBytes(NONCE_BYTES).toString('hex')
}

function send(socket: Socket, value: object): void {
  socket.write(`${JSON.stringify(value)}\n`)
}

/** The next line of a socket as JSON; undefined when it is not JSON. Data after the line stays in the socket. */
async function readJson(socket: Socket): Promise<unknown> {
  const line = await readLine(socket)
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

function readLine(socket: Socket): Promise<string> {
  return new Promise((resolve, reject) => {
    let received = Buffer.alloc(0)
    const finish = (outcome: () => void): void => {
      clearTimeout(timer)
      socket.off('data', take).off('end', lost).off('close', lost).off('error', lost)
      socket.pause()
      outcome()
    }
    const lost = (): void =>
      finish(() => reject(new CodedError('engine.unavailable', 'The engine closed the connection.')))
    const timer = setTimeout(
      () =>
        finish(() => reject(new CodedError('engine.unavailable', `It did not answer in ${LINE_LIMIT_MS / 1000} s.`))),
      LINE_LIMIT_MS,
    )
    const take = (chunk: Buffer): void => {
      received = Buffer.concat([received, chunk])
      const end = received.indexOf(0x0a)
      if (end >= 0)
        finish(() => {
          if (end + 1 < received.length) socket.unshift(received.subarray(end + 1))
          resolve(received.toString('utf8', 0, end))
        })
      else if (received.length > MAX_LINE_BYTES)
        finish(() =>
          reject(new CodedError('engine.foreign', 'The program that answers at its socket is not an engine.')),
        )
    }
    socket.on('data', take).once('end', lost).once('close', lost).once('error', lost)
    // Paused after the previous line.
    if (socket.destroyed || socket.readableEnded) lost()
    else socket.resume()
  })
}

function isNonce(value: unknown): value is string {
  return typeof value === 'string' && value.length === NONCE_BYTES * 2
}

function isClientHello(value: unknown): value is ClientHello {
  return (
    isRecord(value) &&
    value['trestle'] === 'engine' &&
    Number.isInteger(value['protocol']) &&
    typeof value['version'] === 'string' &&
    isNonce(value['nonce'])
  )
}

function isEngineHello(value: unknown): value is EngineHello {
  return (
    isRecord(value) &&
    Number.isInteger(value['protocol']) &&
    Number.isInteger(value['pid']) &&
    typeof value['version'] === 'string' &&
    typeof value['proof'] === 'string' &&
    isNonce(value['nonce'])
  )
}
