import type { ModelRequest } from '../provider'
import { modelFamily } from '../thinking/model-family'
import { askedThinking } from '../thinking/thinking-facts'

/** What stands in the body of a chat request about thinking; `reasoningEffort` is the package's name for `reasoning_effort`. */
interface ChatThinking {
  reasoningEffort?: string
  thinking?: { type: 'enabled' | 'disabled' }
  enable_thinking?: boolean
}

/**
 * How chat servers are told how hard to think. The protocol has a field for levels; switches each maker named for itself. Nothing is said where nothing was
 * chosen, and nothing to a model that is not known to take it.
 */
export function chatThinking(
  type: 'openai-compatible' | 'moonshot',
  request: Pick<ModelRequest, 'model' | 'thinking' | 'traits' | 'effort'>,
): ChatThinking {
  const { control, effort, thinks } = askedThinking(type, request)
  if (control === 'switch') {
    // Moonshot's models think unless they are told not to: also where config.toml says that the model does not think.
    const said = effort !== undefined || (type === 'moonshot' && !thinks)
    if (!said) return {}
    return modelFamily(request.model) === 'qwen' ? { enable_thinking: thinks } : { thinking: { type: thinks ? 'enabled' : 'disabled' } }
  }
  if (effort === undefined || (control !== 'effort' && control !== 'adaptive')) return {}
  return { reasoningEffort: effort }
}
