import { z } from 'zod'
import type { Failure } from '../errors'

/** Version of the lines below. It changes when a program written for the one before would misunderstand something. */
export const WIRE_PROTOCOL = 1

/** Longest line a client may send, in bytes of UTF-8 without its end. */
export const MAX_WIRE_LINE_BYTES = 64 * 1024 * 1024

const id = z.union([z.string().min(1).max(200), z.int()])

/** Calls a method. The id is the client's own, and free again once the last line with it has come. */
export const wireRequest = z.strictObject({ id, method: z.string().max(200), input: z.unknown().optional() })

/** Gives up a request, or ends a subscription. Harmless when it is over. */
export const wireCancel = z.strictObject({ id, cancel: z.literal(true) })

export type WireId = string | number

/** The first line, before any other. */
export interface WireHello {
  hello: {
    /** Version of the protocol. */
    protocol: number
    /** Version of the program. */
    version: string
    /** Longest line that is taken, in bytes. */
    mostLineBytes: number
  }
}

/** What a method has returned; null when it returns nothing. Nothing follows with this id. */
export interface WireResult {
  id: WireId
  result: unknown
}

/**
 * Why a request failed, or a subscription ended. `id` is null when the line could not be given to any request. Nothing
 * follows with this id.
 */
export interface WireError {
  id: WireId | null
  error: Failure
}

/** One push of a subscription. */
export interface WireEvent {
  id: WireId
  event: unknown
}

/** A subscription has ended or was cancelled. Nothing follows with this id. */
export interface WireEnd {
  id: WireId
  end: true
}

/** Every line that the program writes. */
export type WireLine = WireHello | WireResult | WireError | WireEvent | WireEnd
