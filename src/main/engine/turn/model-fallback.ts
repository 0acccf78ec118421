import { CodedError, failureOf, type Failure } from '../../../shared/errors'
import type { ContextBudget, ModelAccess, TurnContext, TurnModel } from '../loop/turn-context'
import type { ModelInfo, Provider } from '../model/provider'

/** Failures of a small model that the session's own model would have as well. */
const NO_FALLBACK_CODES: readonly Failure['code'][] = ['model.context_overflow', 'model.refused']

export interface ModelFallbackDeps {
  /** Id of the model that takes over. */
  to: string
  /** Whether it replaces a small model. If so, it takes over after any failure, and the user is not notified. */
  quiet: boolean
  resolveModel(id: string): Promise<{ info: ModelInfo; provider: Provider }>
  modelOf(info: ModelInfo): TurnModel
  /** The context budget of the other model. */
  budgetOf(info: ModelInfo): ContextBudget
  /** Current tokens of the conversation. */
  used(): number
  log(message: string): void
}

/**
 * Continues a turn with another model when its own is overloaded: once per turn, and only if the conversation fits into
 * the other model's window.
 */
export function createModelFallback(ctx: TurnContext, deps: ModelFallbackDeps): NonNullable<ModelAccess['fallBack']> {
  return async (failure) => {
    if (
      deps.quiet
        ? NO_FALLBACK_CODES.includes(failure.code) || !failure.code.startsWith('model.')
        : failure.code !== 'model.overloaded'
    )
      return false
    try {
      const { info, provider } = await deps.resolveModel(deps.to)
      if (info.id === ctx.model.info.id) return false
      if (deps.used() > info.contextWindow * 0.9)
        throw new CodedError('model.context_overflow', `The conversation does not fit into the window of ${info.id}.`)
      ctx.record({
        type: 'model.fell_back',
        turnId: ctx.turnId,
        from: ctx.model.info.id,
        to: info.id,
        failure,
        ...(deps.quiet && { quiet: true }),
      })
      ctx.model.info = deps.modelOf(info)
      ctx.model.provider = provider
      ctx.conversation.budget = deps.budgetOf(info)
      ctx.model.fallBack = undefined
      return true
    } catch (error) {
      deps.log(`${deps.to} cannot take over from ${ctx.model.info.id}: ${failureOf(error).message}`)
      return false
    }
  }
}
