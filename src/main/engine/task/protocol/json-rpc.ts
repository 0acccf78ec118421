import type { Socket } from 'node:net'
import {
  createMessageConnection,
  ResponseError,
  SocketMessageReader,
  SocketMessageWriter,
  type MessageConnection,
} from 'vscode-jsonrpc/node'
import { errorCode, errorText } from '../../../../shared/error-text'
import { CodedError } from '../../../../shared/errors'
import type { FailureData } from './task-protocol'

/** Code of a JSON-RPC error with details in its data. */
const FAILED = -32_000

const SILENT = { error: () => {}, warn: () => {}, info: () => {}, log: () => {} }

/** A connection for messages in both directions over a socket. The caller must call `listen`. */
export function connectionOver(socket: Socket): MessageConnection {
  socket.setNoDelay(true)
  return createMessageConnection(new SocketMessageReader(socket), new SocketMessageWriter(socket), SILENT)
}

/** Serializes an exception. */
export function toWire(error: unknown): ResponseError<FailureData> {
  const message = errorText(error)
  const systemCode = errorCode(error)
  const data: FailureData =
    error instanceof CodedError ? { failure: error.failure } : systemCode === undefined ? {} : { systemCode }
  return new ResponseError(FAILED, message, data)
}

/** Restores what was thrown at the other end, as far as possible. */
export function fromWire(error: unknown): unknown {
  if (!(error instanceof ResponseError) || error.code !== FAILED) return error
  const { failure, systemCode } = (error.data ?? {}) as FailureData
  if (failure) return new CodedError(failure.code, failure.message)
  return Object.assign(new Error(error.message), systemCode === undefined ? {} : { code: systemCode })
}
