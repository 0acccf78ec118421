import { OAuthError } from '@modelcontextprotocol/client'
import { CodedError } from '../../../../shared/model/errors'

const MOST_CHARS = 300

/** What went wrong at an authorization server, as a CodedError that repeats nothing secret: only the code and the description the standard has for people. */
export function oauthFailure(doing: string, error: unknown): CodedError {
  if (error instanceof CodedError) return error
  return new CodedError('mcp.sign_in_failed', `${doing}: ${reasonOf(error)}`)
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed.'
  if (!(error instanceof OAuthError))
    return error.name === 'ZodError' || error instanceof SyntaxError ? 'the answer is not as OAuth has it.' : plain(error.message)
  // What is no OAuth answer is passed on by the SDK with its body, which can hold anything.
  const status = /^HTTP \d{3}/.exec(error.message)?.[0]
  return status === undefined ? plain(`${error.code}${error.message === '' ? '' : ` (${error.message})`}.`) : `${status}.`
}

/** Words of others, made fit to be shown. */
export function plain(text: string): string {
  return text
    .replaceAll(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MOST_CHARS)
}
