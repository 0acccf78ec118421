import { CodedError, failureOf } from '../../../../shared/model/errors'
import type { Offer } from './read-offer'

/** A connection, as far as this folder uses it. */
export interface ContentConnection {
  readonly capabilities: { completions?: object | undefined }
  watchResource(uri: string, signal?: AbortSignal): Promise<void>
  request(method: string, params: Record<string, unknown>, limits?: { signal?: AbortSignal }): Promise<Record<string, unknown>>
}

/** A server that a session can use. */
export interface ContentServer {
  readonly name: string
  /** What it is known to offer, without starting it; undefined when it was never connected. */
  known(): Offer | undefined
  /** Connects where that is needed to know it. */
  offer(): Promise<Offer>
  /** Runs `run` with a connection, made where there is none. */
  use<Result>(run: (connection: ContentConnection) => Promise<Result>): Promise<Result>
}

const TIMEOUT_MS = 30_000

/** Asks a server; fails, as a `CodedError` with words for people, when it does not answer in time or answers with an error. */
export async function askServer(
  server: Pick<ContentServer, 'name' | 'use'>,
  method: string,
  params: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const late = AbortSignal.timeout(TIMEOUT_MS)
  try {
    return await server.use((connection) => connection.request(method, params, { signal: late }))
  } catch (error) {
    if (late.aborted) throw new CodedError('mcp.timeout', `The server ${server.name} did not answer within ${TIMEOUT_MS / 1000} s.`)
    if (error instanceof CodedError) throw error
    const message = failureOf(error).message.replace(/^MCP error -?\d+: /, '')
    throw new CodedError('mcp.answer', `The server ${server.name} answered: ${message.slice(0, 1000)}`)
  }
}
