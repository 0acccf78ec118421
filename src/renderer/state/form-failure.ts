import { failureFrom } from '../client/failure-from'
import type { Failure } from '../../shared/errors'

export interface FormFailure {
  /** Errors of single fields, by field name. */
  fields: Readonly<Record<string, string>>
  /** The failure to show for the whole form; undefined when the field errors cover everything. */
  failure: Failure | undefined
}

/**
 * Assigns the engine's errors to the fields of a form. The engine writes `field: message; other: message`; a failure
 * that names none of `names` belongs to the whole form.
 */
export function formFailure(error: unknown, names: readonly string[]): FormFailure {
  if (error === null || error === undefined) return { fields: {}, failure: undefined }
  const failure = failureFrom(error)
  if (failure.code !== 'request.invalid') return { fields: {}, failure }
  const fields: Record<string, string> = {}
  let rest = false
  for (const part of failure.message.split('; ')) {
    const colon = part.indexOf(': ')
    const name = part.slice(0, Math.max(0, colon))
    if (names.includes(name)) fields[name] ??= part.slice(colon + 2)
    else rest = true
  }
  return { fields, failure: rest ? failure : undefined }
}
