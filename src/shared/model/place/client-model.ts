/** A model that a client calls for an engine, with the properties that the engine needs. */
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

/** The pushes to a client that makes model calls: requests to make, and those to cancel. */
export type ModelCallPush =
  /** `request`: the request of the engine's providers, without functions. */
  | { type: 'call'; callId: string; modelId: string; request: Record<string, unknown> }
  | { type: 'cancel'; callId: string }
