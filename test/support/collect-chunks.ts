import type { FinishReason } from '../../src/shared/events/event'
import type { AssistantPart, ProviderMetadata, Usage } from '../../src/shared/model/turn/message'
import type { ModelChunk, ModelRequest } from '../../src/main/engine/model/provider'

/** A complete answer, assembled from its chunks as the loop does. */
export interface CollectedAnswer {
  text: string
  thinking: string
  parts: AssistantPart[]
  calls: { callId: string; name: string; input: string; metadata?: ProviderMetadata }[]
  reason: FinishReason | undefined
  usage: Usage | undefined
  chunks: ModelChunk[]
}

/** Reads a stream to its end. */
export async function collect(stream: AsyncIterable<ModelChunk>): Promise<CollectedAnswer> {
  const answer: CollectedAnswer = {
    text: '',
    thinking: '',
    parts: [],
    calls: [],
    reason: undefined,
    usage: undefined,
    chunks: [],
  }
  let open: { type: 'text' | 'thinking'; text: string } | undefined
  const close = (metadata?: ProviderMetadata): void => {
    if (open) answer.parts.push({ ...open, ...(metadata && { metadata }) })
    open = undefined
  }
  for await (const chunk of stream) {
    answer.chunks.push(chunk)
    if (chunk.type === 'text' || chunk.type === 'thinking') {
      answer[chunk.type] += chunk.text
      if (open?.type !== chunk.type) close()
      open ??= { type: chunk.type, text: '' }
      open.text += chunk.text
    } else if (chunk.type === 'text.end' || chunk.type === 'thinking.end') {
      const type = chunk.type === 'text.end' ? 'text' : 'thinking'
      if (open?.type === type) close(chunk.metadata)
      else if (chunk.metadata) answer.parts.push({ type, text: '', metadata: chunk.metadata })
    } else if (chunk.type === 'tool.call') {
      close()
      const { callId, name, input, metadata } = chunk
      answer.parts.push({ type: 'tool_call', callId, name, input, ...(metadata && { metadata }) })
      answer.calls.push({ callId, name, input, ...(metadata && { metadata }) })
    } else if (chunk.type === 'finish') {
      answer.reason = chunk.reason
      answer.usage = chunk.usage
    }
  }
  close()
  return answer
}

/** A request with one prompt; other fields have minimal defaults. */
export function askFor(text: string, more: Partial<ModelRequest> = {}): ModelRequest {
  return {
    model: 'scripted',
    system: 'Be brief.',
    messages: [{ role: 'user', parts: [{ type: 'text', text }] }],
    tools: [],
    imagesIn: true,
    thinking: false,
    ...more,
  }
}
