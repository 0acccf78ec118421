import { randomBytes } from 'node:crypto'
import { PassThrough, Writable } from 'node:stream'
import type { RawData, WebSocket } from 'ws'
import { CodedError } from '../../../../shared/errors'
import type { Channel, ChannelEnd, ShellResult } from '../launcher/launcher'

/** The streams of a command in a pod: the first byte of each message identifies the stream. */
const STDIN = 0
const STDOUT = 1
const STDERR = 2
const STATUS = 3
const CLOSE = 255

const MAX_ERRORS = 64 << 10
const MAX_MESSAGE_BYTES = 64 << 10
/** Prefix of stderr for a command that never started. It is random, so no program in a pod can forge it. */
const NOT_STARTED = `${randomBytes(12).toString('hex')} `

/** A command in a pod as a channel, once its websocket is open. */
export function execChannel(connect: () => Promise<WebSocket>): Channel {
  const output = new PassThrough()
  const { promise: ended, resolve: end } = Promise.withResolvers<ChannelEnd>()
  let errors = ''
  let socket: WebSocket | undefined
  let isOver = false

  /** Reports the end once all output has been read. */
  const finish = (last: ChannelEnd): void => {
    if (isOver) return
    isOver = true
    socket?.close()
    output.once('close', () => end(last))
    output.end()
    if (output.readableFlowing === null && output.listenerCount('readable') === 0) output.resume()
  }
  const take = (message: Buffer, from: WebSocket): void => {
    const piece = message.subarray(1)
    if (message[0] === STDOUT && !isOver) {
      if (output.write(piece)) return
      from.pause()
      output.once('drain', () => from.resume())
    } else if (message[0] === STDERR) errors = (errors + piece.toString('utf8')).slice(-MAX_ERRORS)
    else if (message[0] === STATUS && piece.length > 0)
      finish({ exitCode: exitCodeOf(piece.toString('utf8')), signal: null })
  }
  const open = async (): Promise<void> => {
    try {
      const opened = await connect()
      socket = opened
      if (isOver) return opened.terminate()
      opened.on('message', (data: RawData) => take(asBuffer(data), opened))
      opened.on('error', () => undefined)
      opened.on('close', () => {
        if (!isOver) errors += '\nThe connection to the pod was lost.'
        finish({ exitCode: 255, signal: null })
      })
      opened.resume()
    } catch (error) {
      const { code, message } =
        error instanceof CodedError ? error.failure : { code: 'place.unreachable', message: String(error) }
      errors = `${NOT_STARTED}${JSON.stringify({ code, message })}`
      finish({ exitCode: 255, signal: null })
    }
  }
  const opening = open()
  const send = async (bytes: Buffer): Promise<void> => {
    await opening
    const to = socket
    if (to?.readyState === 1 && !isOver) await new Promise<void>((resolve) => to.send(bytes, () => resolve()))
  }
  const input = new Writable({
    write(chunk: Buffer, _encoding, done) {
      const sendAll = async (): Promise<void> => {
        for (let at = 0; at < chunk.length; at += MAX_MESSAGE_BYTES)
          await send(Buffer.concat([Buffer.of(STDIN), chunk.subarray(at, at + MAX_MESSAGE_BYTES)]))
      }
      void sendAll().finally(done)
    },
    final(done) {
      void send(Buffer.of(CLOSE, STDIN)).finally(done)
    },
  })
  return {
    input,
    output,
    errors: () => errors,
    ended,
    pid: undefined,
    kill() {
      socket?.terminate()
      output.destroy()
      isOver = true
      end({ exitCode: null, signal: 'SIGKILL' })
    },
  }
}

/** Why a command was never started; undefined if it was started. */
export function notStarted({ exitCode, stderr }: ShellResult): CodedError | undefined {
  if (exitCode !== 255 || !stderr.startsWith(NOT_STARTED)) return undefined
  const { code, message } = JSON.parse(stderr.slice(NOT_STARTED.length)) as { code: 'place.setup'; message: string }
  return new CodedError(code, message)
}

function asBuffer(data: RawData): Buffer {
  if (Buffer.isBuffer(data)) return data
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data)
}

/** The status that ends a command: success, or a failure with the exit code among its causes. */
function exitCodeOf(text: string): number {
  try {
    const { status, details } = JSON.parse(text) as {
      status?: string
      details?: { causes?: { reason?: string; message?: string }[] }
    }
    if (status === 'Success') return 0
    const code = Number(details?.causes?.find(({ reason }) => reason === 'ExitCode')?.message)
    return Number.isInteger(code) && code > 0 && code < 256 ? code : 255
  } catch {
    return 255
  }
}
