import { CodedError, ERRORS, failureOf, type Failure } from '../../../shared/errors'
import type { ModelChunk, ModelInfo, ModelRequest, Provider } from '../model/provider'
import type { LoopSettings } from '../config/agent-settings/session-settings'
import { type Message, type Usage, textOf } from '../../../shared/model/turn/message'

/**
 * Forwards the chunks of one request. Rejects when nothing arrives for `idleMs`, and immediately when stopped, even if
 * the provider does not react.
 */
export async function receiveChunks(
  provider: Provider,
  request: ModelRequest,
  { idleMs, signal }: { idleMs: number; signal: AbortSignal },
  take: (chunk: ModelChunk) => void,
): Promise<void> {
  const inner = new AbortController()
  let lastActivity = performance.now()
  const alive = (): void => {
    lastActivity = performance.now()
  }
  const read = async (): Promise<void> => {
    for await (const chunk of provider.stream({ ...request, alive }, inner.signal)) {
      if (inner.signal.aborted) return
      alive()
      take(chunk)
    }
  }
  let watch: NodeJS.Timeout | undefined
  const brokenOff = new Promise<never>((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true, signal: inner.signal })
    const check = (): void => {
      if (performance.now() - lastActivity < idleMs) return
      reject(new CodedError('model.timeout', `Nothing arrived from the model for ${Math.round(idleMs / 1000)} s.`))
    }
    watch = setInterval(check, Math.max(10, Math.min(1000, idleMs / 4)))
  })
  try {
    signal.throwIfAborted()
    await Promise.race([read(), brokenOff])
  } finally {
    clearInterval(watch)
    // Without a reason, a DOMException with a stack is created at every step.
    inner.abort('over')
  }
}

/** The longest Retry-After that is honored; beyond it, the failure is final. */
const RETRY_AFTER_LIMIT_MS = 10 * 60_000

/** Attempts at an overloaded model when another one can take over. */
const OVERLOADED_ATTEMPTS = 3

/** Attempts when the answer is empty: one retry may help, more do not. */
const EMPTY_ATTEMPTS = 2

/**
 * The retry delay (backoff) before attempt `attempt + 1`, in ms; undefined when a retry cannot help or the attempts are
 * used up. Exponential from `retryBaseMs` to `retryMaxMs` with 25% jitter; a Retry-After is a lower bound.
 */
export function retryDelay(
  error: unknown,
  attempt: number,
  settings: Pick<LoopSettings, 'maxAttempts' | 'retryBaseMs' | 'retryMaxMs'>,
  random: () => number,
  canFallBack = false,
): number | undefined {
  if (!(error instanceof CodedError) || !ERRORS[error.code].retryable || attempt >= settings.maxAttempts)
    return undefined
  if (canFallBack && error.code === 'model.overloaded' && attempt >= OVERLOADED_ATTEMPTS) return undefined
  if (error.code === 'model.empty' && attempt >= EMPTY_ATTEMPTS) return undefined
  const exponential = Math.min(settings.retryMaxMs, settings.retryBaseMs * 2 ** (attempt - 1))
  const jittered = exponential * (1 + (random() - 0.5) / 2)
  const asked = error.retryAfterMs
  if (asked === undefined) return Math.round(jittered)
  if (asked > RETRY_AFTER_LIMIT_MS) return undefined
  // A little jitter, so that many clients with the same Retry-After do not all retry at the same moment.
  return Math.round(asked + (asked > 1000 ? random() * 250 : 0))
}

/**
 * Error messages of providers that reject thinking sent back to them: it belongs to a different conversation prefix,
 * was altered, or its signature or encrypted content is invalid.
 */
const REJECTIONS = [
  /bound to a different conversation/,
  /invalid `?signature`? in `?(?:redacted_)?thinking/,
  /thinking`? blocks? .{0,80}cannot be modified/,
  /expected `?thinking`? or `?redacted_thinking`?/,
  /(?:invalid|corrupted) thought[_ ]signature|thought[_ ]signature is (?:not valid|invalid)/,
  /invalid_encrypted_content|encrypted content .{0,100}(?:could not be|cannot be) (?:verified|decrypted)/,
  /of type '(?:reasoning|function_call|message)' was provided without its required/,
]

/** Whether a provider refused a request because of the thinking in it. A retry works only without the thinking. */
export function rejectsThinking(error: unknown): boolean {
  if (!(error instanceof CodedError) || error.code !== 'model.bad_request') return false
  const message = error.message.toLowerCase()
  return REJECTIONS.some((pattern) => pattern.test(message))
}

/** Whether the messages have thinking, or its metadata, that `dropThinking` would remove. */
export function holdsThinking(messages: readonly Message[]): boolean {
  return messages.some(
    (message) =>
      message.role === 'assistant' &&
      !message.thinkingDropped &&
      message.parts.some((part) => part.type === 'thinking' || part.metadata),
  )
}

/**
 * Stops sending the thinking so far back to models. Messages are replaced, not mutated: a request may still hold them.
 */
export function dropThinking(messages: Message[]): void {
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant' && !message.thinkingDropped)
      messages[index] = { ...message, thinkingDropped: true }
  }
}

/** The failure to record for rejected thinking. */
export function thinkingFailure(error: unknown): Failure {
  const failure = failureOf(error)
  return {
    ...failure,
    title: 'Earlier thinking was rejected',
    message:
      'The provider did not accept the thinking of earlier answers, so it is left out from here on. ' +
      `It said: ${failure.message}`,
    advice: 'Nothing has to be done: the same request was sent again without it.',
    retryable: true,
  }
}

const MARK = /^\[checkpoint \d+\]$/

/**
 * Tells the model the number of the current checkpoint, in a separate message after results or user messages, never
 * within a file's content or a command's output. It is added before the request is first sent, so that provider caches
 * stay valid. Not added after an answer or another mark.
 */
export function markCheckpoint(history: Message[], checkpoint: number): void {
  const last = history.at(-1)
  if (
    !last ||
    last.role === 'assistant' ||
    (last.role === 'user' && last.by === 'guard' && MARK.test(textOf(last.parts)))
  )
    return
  history.push({ role: 'user', parts: [{ type: 'text', text: `[checkpoint ${checkpoint}]` }], by: 'guard' })
}

export interface ShortQuestion {
  system: string
  prompt: string
  /** Includes room for models that think first. */
  maxOutputTokens: number
  /** Time limit of the question. */
  limitMs: number
  signal?: AbortSignal | undefined
}

/** Asks a model for a short text: once, without tools or thinking. Rejects when that fails. */
export async function askOnce(
  { info, provider }: { info: ModelInfo; provider: Provider },
  { system, prompt, maxOutputTokens, limitMs, signal }: ShortQuestion,
): Promise<{ answer: string; usage: Usage | undefined }> {
  const effort = info.traits?.efforts?.[0]
  const request: ModelRequest = {
    model: info.model,
    system,
    messages: [{ role: 'user', parts: [{ type: 'text', text: prompt }] }],
    tools: [],
    maxOutputTokens,
    imagesIn: false,
    thinking: false,
    cache: 'none',
    ...(info.traits && { traits: info.traits }),
    ...(effort && { effort }),
  }
  const limit = AbortSignal.timeout(limitMs)
  const ends = signal ? AbortSignal.any([signal, limit]) : limit
  let answer = ''
  let usage: Usage | undefined
  await receiveChunks(provider, request, { idleMs: limitMs, signal: ends }, (chunk) => {
    if (chunk.type === 'text') answer += chunk.text
    else if (chunk.type === 'finish') usage = chunk.usage
  })
  return { answer, usage }
}
