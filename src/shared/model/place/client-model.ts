/** A model that a client makes calls to for an engine, with what the engine has to know about it. */
export interface ClientModel {
  /** `provider/model`. */
  id: string
  label: string
  contextWindow: number
  maxOutputTokens?: number | undefined
  toolCalls: boolean
  imagesIn: boolean
  thinking: boolean
  traits?: Record<string, unknown> | undefined
}

/** What a client that makes model calls gets: requests to make, and those to cancel. */
export type ModelCallPush =
  /** `request`: as the engine's providers get it, without functions. */
  | { type: 'call'; callId: string; modelId: string; request: Record<string, unknown> }
  | { type: 'cancel'; callId: string }
