import { call, type AnyProcedure } from '@orpc/server'
import { contract } from '../../../shared/contract'
import { didYouMean } from '../../command-line/parse'
import { CodedError } from '../../../shared/model/errors'
import { nearest } from '../../../shared/nearest'
import type { ApiRouter } from '../../api/router'

/** A method of the contract as the wire calls it. Rejects with what the api tells its clients. */
export type WireMethod = (input: unknown, signal: AbortSignal) => Promise<unknown>

/** Every method there is, under its name (`session.list`): what the contract lists, nothing else. */
export function wireMethods(router: ApiRouter): ReadonlyMap<string, WireMethod> {
  const methods = new Map<string, WireMethod>()
  const handlers = router as unknown as Record<string, Record<string, AnyProcedure>>
  for (const [namespace, group] of Object.entries(contract)) {
    for (const [verb, { '~orpc': definition }] of Object.entries(group)) {
      const procedure = handlers[namespace]![verb]!
      // A method that takes an object may be called without one when every field may be left out.
      const without = definition.inputSchema === undefined ? undefined : {}
      const path = [namespace, verb]
      methods.set(path.join('.'), async (input, signal) => call(procedure, input ?? without, { signal, path, context: {} }))
    }
  }
  return methods
}

/** What a client is told that calls a method which is not there. */
export function unknownMethod(name: string, methods: ReadonlyMap<string, WireMethod>): CodedError {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name
  return new CodedError('request.invalid', `There is no method ${shown}.${didYouMean(nearest(name, [...methods.keys()]))}`)
}
