import type { ModelAbilities } from '../../../shared/model/settings'
import type { SettingsActions } from '../engine-api'
import type { Config } from './config'
import type { ModelSettings } from './model-settings'

type Edits = Parameters<Config['edit']>[0]

/**
 * What is written of a model: what the user says otherwise than it is known anyway. A model that is known needs no more than its name, and goes on
 * following the table and the provider's list.
 */
export function modelEdits(
  input: Parameters<SettingsActions['saveModel']>[0],
  known: ModelAbilities,
  before: ModelSettings | undefined,
): Edits {
  const path = (key: string): string[] => ['models', input.id, key]
  return [
    { path: path('provider'), value: input.providerId },
    { path: path('model'), value: input.model },
    { path: path('label'), value: input.label },
    { path: path('context_window'), value: input.contextWindow },
    { path: path('max_output_tokens'), value: input.maxOutputTokens },
    { path: path('capabilities'), value: capabilities(input, known, before) },
  ]
}

function capabilities(
  { toolCalls, imagesIn, videoIn, thinking }: Parameters<SettingsActions['saveModel']>[0],
  known: ModelAbilities,
  before: ModelSettings | undefined,
): string[] | undefined {
  const knownVideo = known.videoIn ?? false
  const wanted = {
    toolCalls: toolCalls ?? known.toolCalls,
    imagesIn: imagesIn ?? known.imagesIn,
    videoIn: videoIn ?? before?.capabilities?.includes('video_in') ?? knownVideo,
    thinking: thinking ?? known.thinking,
  }
  const media = (before?.capabilities ?? []).filter((one) => one === 'pdf_in')
  const asKnown =
    wanted.toolCalls === known.toolCalls &&
    wanted.imagesIn === known.imagesIn &&
    wanted.videoIn === knownVideo &&
    wanted.thinking === known.thinking
  if (asKnown && media.length === 0) return undefined
  return [
    ...(wanted.toolCalls ? ['tools'] : []),
    ...(wanted.imagesIn ? ['image_in', ...media] : []),
    ...(wanted.videoIn ? ['video_in'] : []),
    ...(wanted.thinking ? ['thinking'] : []),
  ]
}
