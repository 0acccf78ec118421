import { CodedError } from '../../../../shared/model/errors'
import type { EventBody } from '../../../../shared/model/event'
import type { LoopSettings } from '../../config/settings'
import { receive } from '../../loop/receive'
import type { ModelInfo, Provider } from '../../model/provider'
import type { AskModel } from './sampling'

export interface AskModelDeps {
  /** The model the session talks to. */
  resolveModel(sessionId: string): Promise<{ info: ModelInfo; provider: Provider }>
  /** Counts what it took for the session. */
  record(sessionId: string, event: Extract<EventBody, { type: 'sampling.finished' }>): void
  settings(): Pick<LoopSettings, 'idleTimeoutMs'>
}

/** Asks a session's model once, without tools; what fails is not tried again, since the server can. */
export function createAskModel({ resolveModel, record, settings }: AskModelDeps): AskModel {
  return async ({ sessionId, callId, server }, { system, messages, maxTokens }, signal) => {
    const { info, provider } = await resolveModel(sessionId)
    if (!info.imagesIn && messages.some(({ parts }) => parts.some(({ type }) => type === 'media')))
      throw new CodedError('request.invalid', `${info.label} takes no pictures.`)
    const maxOutputTokens = Math.min(maxTokens, info.maxOutputTokens ?? maxTokens)
    let text = ''
    let isCut = false
    await receive(
      provider,
      { model: info.model, system, messages, tools: [], maxOutputTokens, imagesIn: info.imagesIn, thinking: false },
      { idleMs: settings().idleTimeoutMs, signal },
      (chunk) => {
        if (chunk.type === 'text') text += chunk.text
        else if (chunk.type === 'finish') {
          isCut = chunk.reason === 'length'
          if (chunk.usage) record(sessionId, { type: 'sampling.finished', callId, server, model: info.id, usage: chunk.usage })
        }
      },
    )
    return { model: info.id, text, isCut }
  }
}
