import type { CreateMessageRequestParams, CreateMessageResult, SamplingMessage } from '@modelcontextprotocol/client'
import { errorText } from '../../../../shared/error-text'
import type { TextPart, UserPart } from '../../../../shared/model/turn/message'
import type { CallQuestion } from '../../tool/tool'
import type { ServedConnection } from '../protocol/connection'
import { latestCall, type AskLimits } from './ask-limits'
import { serverText } from '../protocol/server-log'

/** The request is shown in full, so it must be short enough to read. */
const MAX_CHARS = 50_000
const MAX_MESSAGES = 100
const MAX_PICTURES = 10
const MAX_TOKENS = 8192

/** The request to the model. */
export interface SampleRequest {
  system: string
  messages: SampleMessage[]
  maxTokens: number
}

type SampleMessage = { role: 'user'; parts: UserPart[] } | { role: 'assistant'; parts: TextPart[] }

/** The model's answer. `isCut`: it reached the token limit. */
export interface SampleResult {
  model: string
  text: string
  isCut: boolean
}

/** Asks the model of a session, without tools and without the conversation. Throws a `CodedError`. */
export type AskModel = (
  of: { sessionId: string; callId: string; server: string },
  request: SampleRequest,
  signal: AbortSignal,
) => Promise<SampleResult>

/** Why a server gets no answer, as a sentence for the server. */
export class SamplingRefused extends Error {}

/**
 * Lets a server ask the session's model after the user has approved the request, and returns the answer after the user
 * has approved that, too. Throws `SamplingRefused` when the user rejects it or no user is available.
 */
export async function sample(
  { askModel, limits }: { askModel: AskModel; limits: AskLimits },
  connection: ServedConnection,
  params: CreateMessageRequestParams,
  signal: AbortSignal,
  call = latestCall(connection),
): Promise<CreateMessageResult> {
  if (!call) throw refused(connection, 'It can only be allowed while a call runs.')
  const wanted = requestOf(params)
  if ('problem' in wanted) throw refused(connection, wanted.problem)
  const request = await withFittedPictures(wanted).catch((error: unknown) => {
    throw refused(connection, `An image cannot be sent. ${errorText(error)}`)
  })
  const asked = await limits.run(connection, call, async () => {
    const first = await call.ctx.ask(question(connection.name, request), signal)
    if ('none' in first) throw refused(connection, first.why)
    if (first.kind === 'reject_once') throw refused(connection, 'The user did not allow it.')
    const startedAt = performance.now()
    const answer = await askModel(
      { sessionId: call.sessionId, callId: call.ctx.callId, server: connection.name },
      request,
      AbortSignal.any([signal, call.ctx.signal]),
    )
    connection.log({
      from: 'connection',
      level: 'info',
      text:
        `The model ${answer.model} was asked for the server: ` +
        `${answer.text.length} characters in ${Math.round(performance.now() - startedAt)} ms.`,
    })
    const second = await call.ctx.ask(question(connection.name, request, answer), signal)
    if ('none' in second) throw refused(connection, second.why)
    if (second.kind === 'reject_once') throw refused(connection, 'The user did not share the answer.')
    return resultOf(answer, params.stopSequences)
  })
  if ('refused' in asked) throw refused(connection, asked.refused)
  return asked.answer
}

function question(server: string, { system, messages, maxTokens }: SampleRequest, answer?: SampleResult): CallQuestion {
  return {
    asks: 'sampling',
    summary: answer ? `Give ${server} the answer of ${answer.model}` : `${server} wants to use the model`,
    reason: answer
      ? `The server ${server} gets this answer only when you allow it.`
      : `The server ${server} would send this to your model, at your expense. It does not see the conversation.`,
    preview: {
      kind: 'sampling',
      server,
      ...(system !== '' && { system }),
      messages: messages.map((message) => ({ role: message.role, text: previewText(message) })),
      maxTokens,
      ...(answer && { answer: { model: answer.model, text: answer.text } }),
    },
    options: answer
      ? [
          { optionId: 'give', kind: 'allow_once', name: 'Give the answer' },
          { optionId: 'keep', kind: 'reject_once', name: 'Do not give it' },
        ]
      : [
          { optionId: 'ask', kind: 'allow_once', name: 'Ask the model' },
          { optionId: 'refuse', kind: 'reject_once', name: 'Refuse' },
        ],
  }
}

function previewText({ parts }: SampleMessage): string {
  return parts.map((part: UserPart) => (part.type === 'media' ? `[an image: ${part.mediaType}]` : part.text)).join('\n')
}

function requestOf({
  messages,
  systemPrompt = '',
  maxTokens,
  tools,
}: CreateMessageRequestParams): SampleRequest | { problem: string } {
  if (tools && tools.length > 0) return { problem: 'Tools cannot be given to the model.' }
  if (messages.length === 0 || messages.length > MAX_MESSAGES)
    return { problem: `There must be 1 to ${MAX_MESSAGES} messages.` }
  // What is sent is what is shown: invisible characters are removed.
  const system = serverText(systemPrompt, MAX_CHARS + 1)
  const said: SampleMessage[] = []
  for (const message of messages) {
    const read = messageOf(message)
    if ('problem' in read) return read
    said.push(read)
  }
  const parts = said.flatMap((message): readonly UserPart[] => message.parts)
  const chars = parts.reduce((sum, part) => sum + (part.type === 'text' ? part.text.length : 0), system.length)
  if (chars > MAX_CHARS) return { problem: `It may be at most ${MAX_CHARS.toLocaleString('en')} characters long.` }
  if (parts.filter((part) => part.type === 'media').length > MAX_PICTURES)
    return { problem: `At most ${MAX_PICTURES} images can be sent.` }
  return { system, messages: said, maxTokens: Math.max(1, Math.min(maxTokens, MAX_TOKENS)) }
}

/** Pictures are converted for the model before asking, so that what is approved is what is sent. */
async function withFittedPictures(request: SampleRequest): Promise<SampleRequest> {
  const { fitMedia } = await import('../../model/media/fit-media')
  const fit = async (part: UserPart): Promise<UserPart> => (part.type === 'media' ? fitMedia(part) : part)
  const messages = await Promise.all(
    request.messages.map(async (said): Promise<SampleMessage> =>
      said.role === 'user' ? { role: said.role, parts: await Promise.all(said.parts.map(fit)) } : said,
    ),
  )
  return { ...request, messages }
}

function messageOf({ role, content }: SamplingMessage): SampleMessage | { problem: string } {
  const parts: UserPart[] = []
  for (const block of Array.isArray(content) ? content : [content]) {
    if (block.type === 'text') parts.push({ type: 'text', text: serverText(block.text, MAX_CHARS + 1) })
    else if (block.type === 'image' && role === 'user')
      parts.push({ type: 'media', mediaType: block.mimeType, data: block.data })
    else return { problem: `A message of the ${role} may not hold ${block.type}.` }
  }
  if (role === 'user') return { role, parts }
  return { role, parts: parts.filter((part) => part.type === 'text') }
}

/** `temperature` and the server's model preferences are ignored. */
function resultOf({ model, text, isCut }: SampleResult, stops: readonly string[] = []): CreateMessageResult {
  const ends = stops.map((stop) => (stop === '' ? -1 : text.indexOf(stop))).filter((at) => at >= 0)
  const end = ends.length > 0 ? Math.min(...ends) : undefined
  const stopReason = end !== undefined ? 'stopSequence' : isCut ? 'maxTokens' : 'endTurn'
  return {
    role: 'assistant',
    model,
    content: { type: 'text', text: end === undefined ? text : text.slice(0, end) },
    stopReason,
  }
}

function refused({ log }: ServedConnection, why: string): SamplingRefused {
  log({ from: 'connection', level: 'warning', text: `A request to ask the model was refused. ${why}` })
  return new SamplingRefused(why)
}
