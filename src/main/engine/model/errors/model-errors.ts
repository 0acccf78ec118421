import { CodedError, type ErrorCode, ERRORS } from '../../../../shared/errors'
import { connectionError } from './connection-error'
import { fieldOf } from '../../../../shared/json-fields'
import { parseRetryAfter } from './retry-after'

/** What is known about a failure from any source. */
interface Facts {
  /** HTTP status, or the status that corresponds to an error inside a stream. */
  status: number | undefined
  /** Lower-case codes and types, joined by spaces. */
  kinds: string
  /** The provider's message. */
  words: string
  headers?: Readonly<Record<string, string>>
  /** The parsed body. */
  body: unknown
}

/** Longest message kept from a provider. */
const WORDS_LIMIT = 2000

/**
 * The coded error for something that a provider package threw or streamed, with the provider's message. None of
 * `secrets` appears in its message. `now` in ms since the epoch, for `Retry-After` dates.
 */
export function modelError(error: unknown, secrets: readonly string[] = [], now = Date.now()): CodedError {
  if (error instanceof CodedError) return error
  const name = fieldOf(error, 'name')
  const status = fieldOf(error, 'statusCode')
  // A failed read of a successful response has its status 200: what matters is why the connection broke.
  if (typeof status !== 'number' || status < 300) {
    const problem = connectionError(error)
    if (problem) return new CodedError(problem.code, redact(problem.message, secrets))
  }
  if (name === 'AI_JSONParseError' || name === 'AI_TypeValidationError') {
    return new CodedError(
      'model.incomplete',
      redact(`The provider sent something that is not its format: ${excerptOf(error)}`, secrets),
    )
  }
  if (name === 'AI_InvalidResponseDataError' || name === 'AI_EmptyResponseBodyError') {
    return new CodedError('model.incomplete', redact(messageOf(error), secrets))
  }
  if (name === 'AI_LoadAPIKeyError') return new CodedError('model.auth', redact(messageOf(error), secrets))
  if (
    name === 'AI_UnsupportedFunctionalityError' ||
    name === 'AI_InvalidPromptError' ||
    name === 'AI_InvalidArgumentError'
  ) {
    return new CodedError('model.bad_request', redact(messageOf(error), secrets))
  }
  if (error instanceof Error && status === undefined) {
    // The package failed on an unknown event, or one in the wrong place.
    return new CodedError('model.incomplete', redact(`The answer could not be read: ${messageOf(error)}`, secrets))
  }
  return fromFacts(factsOf(error), secrets, now)
}

/** The same for an error object that a server sent with status 200 instead of a stream. */
export function modelErrorOfBody(
  body: unknown,
  status: number,
  secrets: readonly string[] = [],
  now = Date.now(),
): CodedError {
  return fromFacts(factsOfBody(body, status, undefined), secrets, now)
}

function fromFacts(facts: Facts, secrets: readonly string[], now: number): CodedError {
  const wait = parseRetryAfter(facts.headers, facts.body, facts.words, now)
  const code = codeOf(facts, wait !== undefined)
  const message =
    facts.status !== undefined && facts.status >= 300 ? `${facts.words} (HTTP ${facts.status})` : facts.words
  return new CodedError(
    code,
    redact(message, secrets),
    ERRORS[code].retryable && wait !== undefined ? { retryAfterMs: wait } : {},
  )
}

const OVERFLOW =
  /context[_ ]length[_ ]exceeded|maximum context length|prompt is too long|input is too long|context window|exceeds? (?:the )?(?:available |maximum |model'?s? )*context|exceed context limit|exceeded model token limit|input token count.{0,80}exceed|input length.{0,80}exceed|reduce the length of the (?:messages|prompt)|exceeds the maximum number of (?:input )?tokens|exceed_context_size|string_above_max_length|request_too_large/
const QUOTA_KIND =
  /insufficient_quota|exceeded_current_quota|insufficient_balance|billing|credit|payment_required|account_deactivated|quota_exceeded/
const QUOTA_WORDS =
  /credit balance is too low|insufficient (?:balance|credits?|funds|quota)|exceeded your current quota|(?:requires|add) more credits|more credits are required|billing (?:hard )?limit|account is (?:suspended|in arrears|not active)|payment required|out of credits?/
const NOT_FOUND =
  /model_not_found|unknown_model|invalid_model|no such model|model [^.]{0,120}(?:not found|does not exist|is not found|not supported for)|is not a valid model|unknown model|invalid model|not_found_error|the model [^.]{0,120}does not exist/

/** The code of a failure. The order matters: specific cases come first, because providers reuse statuses. */
function codeOf({ status, kinds, words, body }: Facts, hasWait: boolean): ErrorCode {
  const text = `${kinds} ${words.toLowerCase()}`
  if (status !== 429 && OVERFLOW.test(text)) return 'model.context_overflow'
  if (status === 413) return 'model.context_overflow'
  if (isQuotaGone(status, kinds, words, body, hasWait)) return 'model.quota'
  if (/content_filter|content_policy|responsibleai|safety_violation|moderation/.test(kinds)) return 'model.refused'
  if (
    status === 401 ||
    status === 403 ||
    /authentication|invalid_api_key|permission_(?:error|denied)|unauthenticated|unauthorized/.test(kinds)
  )
    return 'model.auth'
  if (status === 400 && /api key not valid|invalid api key|api_key_invalid|incorrect api key/.test(text))
    return 'model.auth'
  if (status === 404 || NOT_FOUND.test(text)) return 'model.not_found'
  // The provider itself rejected a call that its model wrote; another attempt may produce a valid one.
  if (/tool_use_failed/.test(kinds)) return 'model.incomplete'
  if (status === 429 || /rate_limit|too_many_requests|resource_exhausted/.test(kinds)) return 'model.rate_limited'
  if (status === 408 || /timeout|deadline_exceeded/.test(kinds)) return 'model.timeout'
  if (status === 503 || status === 529 || /overloaded|unavailable|engine_overloaded/.test(kinds))
    return 'model.overloaded'
  if (status === 409 || status === 425) return 'model.server'
  if (status !== undefined && status >= 300 && status < 500) return 'model.bad_request'
  if (status !== undefined && status >= 500) return 'model.server'
  if (/invalid_request|invalid_argument|bad_request|failed_precondition/.test(kinds)) return 'model.bad_request'
  return 'model.server'
}

/**
 * Whether waiting cannot help because the credit or quota is used up. Google reports "exceeded your current quota" for
 * limits per minute too, with a time to wait; only its daily limits are treated as used up.
 */
function isQuotaGone(
  status: number | undefined,
  kinds: string,
  words: string,
  body: unknown,
  hasWait: boolean,
): boolean {
  if (status === 402) return true
  if (status !== undefined && status >= 500) return false
  if (/resource_exhausted/.test(kinds))
    return /perday/i.test(JSON.stringify(body ?? '')) || (!hasWait && /exceeded your current quota/i.test(words))
  return QUOTA_KIND.test(kinds) || (!hasWait && QUOTA_WORDS.test(words.toLowerCase()))
}

function factsOf(error: unknown): Facts {
  const status = fieldOf(error, 'statusCode')
  const responseBody = fieldOf(error, 'responseBody')
  const headers = headersOf(fieldOf(error, 'responseHeaders'))
  if (typeof status === 'number' && typeof responseBody === 'string') {
    const facts = factsOfBody(parsed(responseBody), status, responseBody)
    return {
      ...facts,
      words: facts.words || messageOf(error) || 'The provider gave no reason.',
      ...(headers && { headers }),
    }
  }
  // An error object from inside a stream; packages wrap it with `data` holding the original.
  const data = fieldOf(error, 'data')
  const own = factsOfBody(data ?? error, typeof status === 'number' ? status : undefined, undefined)
  return {
    ...own,
    words: own.words || messageOf(error) || 'The provider reported an error without a reason.',
    ...(headers && { headers }),
  }
}

/**
 * Reads the shapes in use: `{error:{message,type,code}}`, `{error:"…"}`, `[{error}]`, `{type,message}`, `{detail}`,
 * `{response:{error}}`, or a web page.
 */
function factsOfBody(body: unknown, status: number | undefined, text: string | undefined): Facts {
  const root: unknown = Array.isArray(body) ? body[0] : body
  const nested = fieldOf(root, 'error') ?? fieldOf(fieldOf(root, 'response'), 'error') ?? root
  const kinds: string[] = []
  for (const holder of nested === root ? [root] : [nested, root]) {
    for (const name of ['type', 'code', 'status', 'reason']) {
      const value = fieldOf(holder, name)
      if (typeof value === 'string') kinds.push(value.toLowerCase())
    }
  }
  let words = ''
  if (typeof nested === 'string')
    words = nested.startsWith('<') || (text !== undefined && nested === text) ? '' : nested
  for (const name of ['message', 'detail', 'msg']) {
    const value = words ? undefined : (fieldOf(nested, name) ?? fieldOf(root, name))
    if (typeof value === 'string') words = value
    else if (value !== undefined) words = JSON.stringify(value)
  }
  // OpenRouter hides the real reason in the metadata of a general message.
  const raw = fieldOf(fieldOf(nested, 'metadata'), 'raw')
  if (typeof raw === 'string' && raw && !words.includes(raw)) words = words ? `${words}: ${raw}` : raw
  if (!words && text !== undefined) words = pageWords(text)
  // Status 200 doesn't describe an error that came with it.
  const known = status !== undefined && status >= 300 ? status : statusIn(nested)
  return { status: known, kinds: kinds.join(' '), words: words.trim().slice(0, WORDS_LIMIT), body: root }
}

function statusIn(error: unknown): number | undefined {
  for (const name of ['code', 'status', 'statusCode', 'status_code']) {
    const value = Number(fieldOf(error, name) ?? Number.NaN)
    if (Number.isInteger(value) && value >= 400 && value < 600) return value
  }
  return undefined
}

/** The message in a body that is not JSON: its text, or the title of a web page. */
function pageWords(text: string): string {
  const trimmed = text.trim()
  if (!/^<(!doctype|html|\?xml)/i.test(trimmed)) return trimmed.slice(0, 500)
  const title = /<title[^>]*>([^<]*)<\/title>/i.exec(trimmed)?.[1]?.trim()
  return `The server answered with a web page${title ? ` ("${title}")` : ''}, not as a model server`
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function headersOf(value: unknown): Record<string, string> | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, text]) => (typeof text === 'string' ? [[name.toLowerCase(), text]] : [])),
  )
}

function messageOf(error: unknown): string {
  const message = fieldOf(error, 'message')
  return typeof message === 'string' ? message.slice(0, WORDS_LIMIT) : ''
}

/** The beginning of what could not be read. */
function excerptOf(error: unknown): string {
  const text = fieldOf(error, 'text')
  if (typeof text === 'string') return text.slice(0, 300)
  const value = fieldOf(error, 'value')
  return value === undefined ? messageOf(error).slice(0, 300) : JSON.stringify(value).slice(0, 300)
}

/** `text` without the secrets. Short ones are not removed, because they could be part of ordinary words. */
function redact(text: string, secrets: readonly string[]): string {
  let clean = text
  for (const secret of secrets) if (secret.length >= 6) clean = clean.replaceAll(secret, '[key]')
  return clean
}
