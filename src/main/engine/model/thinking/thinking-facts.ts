import { nearestEffort, type Effort } from '../../../../shared/model/effort'
import type { ProviderType } from '../../../../shared/model/settings'
import type { ModelInfo, ModelRequest, ThinkingControl } from '../provider'
import { guessThinking } from './guess-thinking'

/** What can be said to a model about its thinking on its wire. */
export interface ThinkingFacts {
  control: ThinkingControl
  /** From least to most; empty: there is nothing to choose. */
  efforts: readonly Effort[]
  /** What its vendor does when no level is sent, as far as is known. */
  defaultEffort?: Effort
  /** Rejects its own earlier thinking when anything before it has changed. */
  bindsThinking: boolean
  needsInterleavedHeader: boolean
}

type Known = Pick<ModelInfo, 'model' | 'thinking' | 'traits'>

/** Levels of a control for which nothing more is known. */
const USUAL_EFFORTS: Readonly<Record<ThinkingControl, readonly Effort[]>> = {
  none: [],
  always: [],
  switch: ['none', 'high'],
  effort: ['low', 'medium', 'high'],
  budget: ['none', 'low', 'medium', 'high', 'max'],
  adaptive: ['low', 'medium', 'high', 'max'],
}

/** What is recorded of the model; only where nothing is, what its name suggests. */
export function thinkingFacts(type: ProviderType, { model, thinking, traits = {} }: Known): ThinkingFacts {
  const guess = guessThinking(type, model, thinking)
  const control = traits.thinkingControl ?? guess.control
  const isGuess = traits.thinkingControl === undefined || traits.thinkingControl === guess.control
  const defaultEffort = traits.defaultEffort ?? (isGuess ? guess.defaultEffort : undefined)
  return {
    control,
    efforts: traits.efforts ?? (isGuess ? guess.efforts : undefined) ?? USUAL_EFFORTS[control],
    ...(defaultEffort !== undefined && { defaultEffort }),
    bindsThinking: traits.bindsThinking ?? guess.bindsThinking ?? false,
    needsInterleavedHeader: traits.needsInterleavedHeader ?? guess.needsInterleavedHeader ?? false,
  }
}

/** What a request is to say: `effort` is one that the model knows; absent: the vendor's default. */
export interface AskedThinking extends ThinkingFacts {
  effort?: Effort
  /** Whether it is to think; not asking for it does not keep every model from thinking. */
  thinks: boolean
  /** Switched off in so many words. */
  isOff: boolean
}

/** The thinking that a request asks for, in terms its model knows. */
export function askedThinking(type: ProviderType, request: Pick<ModelRequest, 'model' | 'thinking' | 'traits' | 'effort'>): AskedThinking {
  const facts = thinkingFacts(type, request)
  const effort = request.effort && nearestEffort(request.effort, facts.efforts)
  const canThink = facts.control !== 'none'
  return {
    ...facts,
    ...(effort !== undefined && { effort }),
    thinks: canThink && effort !== 'none' && (effort !== undefined || request.thinking),
    isOff: effort === 'none',
  }
}
