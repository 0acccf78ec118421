import { CodedError, failureOf, type Failure } from '../../../shared/model/errors'
import type { Message } from '../../../shared/model/message'

/**
 * How providers say that thinking which was sent back to them is not what they expect there: it belongs to another beginning of the conversation, it
 * was altered, or its signature or encrypted content does not hold.
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

/** Whether a provider refused a request because of the thinking in it. Sending the same again cannot work; leaving the thinking out does. */
export function rejectsThinking(error: unknown): boolean {
  if (!(error instanceof CodedError) || error.code !== 'model.bad_request') return false
  const words = error.message.toLowerCase()
  return REJECTIONS.some((pattern) => pattern.test(words))
}

/** Whether there is thinking, or what goes with it, that `dropThinking` would leave out. */
export function holdsThinking(messages: readonly Message[]): boolean {
  return messages.some(
    (message) =>
      message.role === 'assistant' && !message.thinkingDropped && message.parts.some((part) => part.type === 'thinking' || part.metadata),
  )
}

/** From now on no model gets back what was thought so far. The messages are exchanged, never changed: a request may still hold them. */
export function dropThinking(messages: Message[]): void {
  for (const [index, message] of messages.entries()) {
    if (message.role === 'assistant' && !message.thinkingDropped) messages[index] = { ...message, thinkingDropped: true }
  }
}

/** What the log says of such a refusal. */
export function thinkingFailure(error: unknown): Failure {
  const failure = failureOf(error)
  return {
    ...failure,
    title: 'Earlier thinking was rejected',
    message: `The provider did not accept the thinking of earlier answers, so it is left out from here on. It said: ${failure.message}`,
    advice: 'Nothing has to be done: the same request was sent again without it.',
    retryable: true,
  }
}
