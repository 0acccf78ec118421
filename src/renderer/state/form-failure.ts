import { failureFrom } from '../client/failure-from'
import type { Failure } from '../../shared/errors'

export interface FormFailure {
  /** What is wrong with single fields, by the name of the field. */
  fields: Readonly<Record<string, string>>
  /** What is to be shown for the form as a whole; undefined when the fields say it all. */
  failure: Failure | undefined
}

/**
 * Sorts what the engine refused to the fields of a form. It names fields as `field: what is wrong; other: ...`; a failure that names
 * none of `names` belongs to the whole form.
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
