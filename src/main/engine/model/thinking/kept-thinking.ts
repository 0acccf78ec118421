import type { Message, ProviderMetadata } from '../../../../shared/model/message'
import type { ModelRequest } from '../provider'
import type { Metadata, PromptRules, ThinkingBack } from '../wire/wire'
import { modelFamily } from './model-family'

type AssistantMessage = Extract<Message, { role: 'assistant' }>
type Asked = Pick<ModelRequest, 'model' | 'modelId'>

/**
 * Whether the model that is asked gets back what belongs to its thinking in this answer. Signed thinking is the business of the model that wrote it; plain
 * text in a field is good for its whole family.
 */
export function getsThinkingBack(message: AssistantMessage, asked: Asked, kind: PromptRules['thinking'], back: ThinkingBack): boolean {
  if (message.thinkingDropped || back.isOff || (message.staleThinking && back.bindsThinking)) return false
  if (message.model === undefined || asked.modelId === undefined || message.model === asked.modelId) return true
  if (kind === 'signed-parts') return false
  const family = modelFamily(message.model)
  return family === modelFamily(asked.modelId) || family === modelFamily(asked.model)
}

/** Whether a provider has proven that this thought is its own. `all`: the metadata of every thought of the answer. */
export function isProven(metadata: ProviderMetadata | undefined, all: readonly Metadata[], rules: PromptRules): boolean {
  const own = metadata?.[rules.metadataKey]
  return own !== undefined && rules.isSigned(own, all)
}

/** The metadata of the thoughts of an answer. */
export function thoughtsOf({ parts }: AssistantMessage, key: string): Metadata[] {
  return parts.flatMap((part): Metadata[] => (part.type === 'thinking' ? [part.metadata?.[key] ?? {}] : []))
}

/** Whether an answer goes back beginning with its thinking. */
export function beginsWithThinking(message: Message, request: ModelRequest, rules: PromptRules): boolean {
  if (message.role !== 'assistant' || !getsThinkingBack(message, request, rules.thinking, rules.thinkingBack(request))) return false
  const first = message.parts.find((part) => part.type !== 'text' || part.text.trim() !== '')
  return first?.type === 'thinking' && isProven(first.metadata, thoughtsOf(message, rules.metadataKey), rules)
}
