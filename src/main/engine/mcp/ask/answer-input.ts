import { isSpecType, type Root } from '@modelcontextprotocol/client'
import type { CallInFlight, ServedConnection } from '../connection-hooks'
import { InputRefused, type InputRequest } from '../connection/input-rounds'
import type { AskLimits } from './ask-limits'
import { elicit, openPage, type PageParams } from './elicitation'
import { sample, SamplingRefused, type AskModel } from './sampling'

export interface InputAnswers {
  limits: AskLimits
  askModel: AskModel
  /** Whether servers may ask for the use of the model. */
  sampling(): boolean
  roots(): Root[]
}

/** A page says by itself when it is done only in older revisions. */
const NEVER = new AbortController().signal

/**
 * Answers what a server of the stateless revision wants before it answers a request: a form, a page to open, the use of the model, folders. Unlike requests of older servers it is
 * known which call that is for. Rejects with `InputRefused` where there is no answer to give; the request then
 * fails with it.
 */
export async function answerInput(
  { limits, askModel, sampling, roots }: InputAnswers,
  connection: ServedConnection,
  call: CallInFlight | undefined,
  { method, params }: InputRequest,
  signal: AbortSignal,
): Promise<Record<string, unknown>> {
  switch (method) {
    case 'roots/list':
      return { roots: roots() }
    case 'elicitation/create':
      if (isPage(params)) {
        if (!call) return { action: 'cancel' }
        return { action: await openPage(limits, connection, call, params, NEVER, signal) }
      }
      if (!isSpecType.ElicitRequestFormParams(params)) throw new InputRefused('The server asked for a form that cannot be read.')
      return { ...(await elicit(limits, connection, params, signal, call)) }
    case 'sampling/createMessage':
      if (!sampling()) throw new InputRefused('The server asked for the use of the model, which is switched off.')
      if (!isSpecType.CreateMessageRequestParams(params))
        throw new InputRefused('The server asked the model something that cannot be read.')
      try {
        return { ...(await sample({ askModel, limits }, connection, params, signal, call)) }
      } catch (error) {
        throw error instanceof SamplingRefused ? new InputRefused(error.message) : error
      }
    default:
      throw new InputRefused(`The server asked for something that Trestle does not know: ${method.slice(0, 100)}.`)
  }
}

function isPage(params: Record<string, unknown>): params is PageParams {
  const { mode, message, url } = params
  return mode === 'url' && typeof message === 'string' && typeof url === 'string'
}
