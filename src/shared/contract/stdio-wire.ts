import { z } from 'zod'
import type { Failure } from '../errors'

/**
 * Version of the lines below. It changes when a program written for the previous version would misunderstand something.
 */
export const WIRE_PROTOCOL = 1

/** Maximum length of a line from a client, in bytes of UTF-8 without the line end. */
export const MAX_WIRE_LINE_BYTES = 64 * 1024 * 1024

const id = z.union([z.string().min(1).max(200), z.int()])

/** Calls a method. The client chooses the id, which is free again once the last line with it has arrived. */
export const wireRequest = z.strictObject({ id, method: z.string().max(200), input: z.unknown().optional() })

/** Cancels a request, or ends a subscription. Harmless when it has ended. */
export const wireCancel = z.strictObject({ id, cancel: z.literal(true) })

export type WireId = string | number

/** The first line, before any other. */
export interface WireHello {
  hello: {
    /** Version of the protocol. */
    protocol: number
    /** Version of the program. */
    version: string
    /** Maximum length of a line that is accepted, in bytes. */
    mostLineBytes: number
  }
}

/** The result of a method; null when it returns nothing. No further line has this id. */
export interface WireResult {
  id: WireId
  result: unknown
}

/**
 * Why a request failed, or a subscription ended. `id` is null when the line could not be matched to a request. No
 * further line has this id.
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

/** A subscription has ended or was cancelled. No further line has this id. */
export interface WireEnd {
  id: WireId
  end: true
}

/** Every line that the program writes. */
export type WireLine = WireHello | WireResult | WireError | WireEvent | WireEnd
