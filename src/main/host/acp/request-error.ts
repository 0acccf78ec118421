import { RequestError } from '@agentclientprotocol/sdk'
import { CodedError, type Failure } from '../../../shared/model/errors'

/** An expected failure as the protocol answers it, with what to do; anything else stays what it is. */
export function asRequestError(error: unknown): unknown {
  if (!(error instanceof CodedError)) return error
  const { failure } = error
  const message = wordsOf(failure)
  switch (failure.code) {
    case 'session.not_found':
      return new RequestError(-32002, message, failure)
    case 'request.invalid':
    case 'session.folder_missing':
      return new RequestError(-32602, message, failure)
    default:
      return new RequestError(-32603, message, failure)
  }
}

/** Editors show this as it is. */
export function wordsOf({ title, message, advice }: Failure): string {
  return `${title}: ${message} ${advice}`
}
