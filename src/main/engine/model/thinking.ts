import type { ProviderType } from '../../../shared/configuration/provider-types'
import { nearestEffort, type Effort } from '../../../shared/model/turn/effort'
import type { ModelInfo, ModelRequest, ThinkingControl } from './provider'

/** How a model's thinking can be controlled over its protocol. */
export interface ThinkingFacts {
  control: ThinkingControl
  /** In ascending order; empty: not adjustable. */
  efforts: readonly Effort[]
  /** What its vendor does if no level is sent, as far as known. */
  defaultEffort?: Effort
  /** Rejects its own earlier thinking if anything before it has changed. */
  bindsThinking: boolean
  needsInterleavedHeader: boolean
}

type Known = Pick<ModelInfo, 'model' | 'thinking' | 'traits'>

/** The levels of a control if nothing more is known. */
const USUAL_EFFORTS: Readonly<Record<ThinkingControl, readonly Effort[]>> = {
  none: [],
  always: [],
  switch: ['none', 'high'],
  effort: ['low', 'medium', 'high'],
  budget: ['none', 'low', 'medium', 'high', 'max'],
  adaptive: ['low', 'medium', 'high', 'max'],
}

/** The known facts about the model, or what its name suggests where nothing is known. */
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

/**
 * Whether thinking must not be sent back to a model if anything before it has changed. On Anthropic's API, that applies
 * to models known to bind it and to unknown models; the others are known to accept it. On the other two APIs with
 * sealed thinking, it applies to all: their models hardly use what they thought before a trim.
 */
export function losesStaleThinking(type: ProviderType, model: string, known: ModelInfo['traits']): boolean {
  if (type === 'openai-responses' || type === 'google') return true
  if (type !== 'anthropic') return false
  return (
    thinkingFacts(type, { model, thinking: true, ...(known && { traits: known }) }).bindsThinking ||
    (!known && modelFamily(model) !== 'claude')
  )
}

/** What a request should ask for: `effort` is a level that the model knows; absent: the vendor's default. */
export interface RequestedThinking extends ThinkingFacts {
  effort?: Effort
  /** Whether thinking is requested; some models think even if it isn't. */
  thinks: boolean
  /** Explicitly switched off. */
  isOff: boolean
}

/** The thinking that a request asks for, in terms that its model knows. */
export function requestedThinking(
  type: ProviderType,
  request: Pick<ModelRequest, 'model' | 'thinking' | 'traits' | 'effort'>,
): RequestedThinking {
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

/** What a model's name suggests about its thinking. */
export interface GuessedThinking {
  control: ThinkingControl
  efforts?: readonly Effort[]
  defaultEffort?: Effort
  bindsThinking?: boolean
  needsInterleavedHeader?: boolean
}

interface Rule extends GuessedThinking {
  name: RegExp
}

const TO_HIGH: readonly Effort[] = ['low', 'medium', 'high']
const TO_XHIGH: readonly Effort[] = [...TO_HIGH, 'xhigh']
const TO_MAX: readonly Effort[] = [...TO_XHIGH, 'max']
const OFF_TO_MAX: readonly Effort[] = ['none', ...TO_MAX]

/** The first match applies. Versions are written with hyphens, dots, or a trailing date. */
const CLAUDE: readonly Rule[] = [
  { name: /opus-5[-.]5/, control: 'adaptive', efforts: TO_MAX, defaultEffort: 'medium', bindsThinking: true },
  { name: /haiku-5[-.]5/, control: 'adaptive', efforts: OFF_TO_MAX, bindsThinking: true },
  {
    name: /sonnet-5[-.]5|(?:fable|mythos)-5[-.][12]/,
    control: 'adaptive',
    efforts: TO_MAX,
    defaultEffort: 'high',
    bindsThinking: true,
  },
  { name: /(?:fable|mythos)-5/, control: 'adaptive', efforts: TO_MAX, defaultEffort: 'high' },
  { name: /(?:opus|sonnet)-5|opus-4[-.][78]/, control: 'adaptive', efforts: OFF_TO_MAX, defaultEffort: 'high' },
  { name: /(?:opus|sonnet)-4[-.]6/, control: 'adaptive', efforts: ['none', ...TO_HIGH, 'max'], defaultEffort: 'high' },
  { name: /(?:opus|sonnet|haiku)-4/, control: 'budget', defaultEffort: 'high', needsInterleavedHeader: true },
  { name: /3[-.]7/, control: 'budget', defaultEffort: 'high' },
  { name: /(?:claude-)?(?:2|3|instant)/, control: 'none' },
]

const OPENAI: readonly Rule[] = [
  { name: /^gpt-(?:4|3)|^chatgpt|-chat(?:-|$)/, control: 'none' },
  {
    name: /^gpt-5(?:-mini|-nano)?(?:-\d{4}|$)/,
    control: 'effort',
    efforts: ['minimal', ...TO_HIGH],
    defaultEffort: 'medium',
  },
  { name: /^gpt-5\.1(?!.*codex)/, control: 'effort', efforts: ['none', ...TO_HIGH] },
  { name: /^gpt-5(?:\.1)?-codex(?!-max)/, control: 'effort', efforts: TO_HIGH, defaultEffort: 'medium' },
  { name: /^gpt-5.*codex/, control: 'effort', efforts: TO_XHIGH, defaultEffort: 'medium' },
  { name: /^gpt-5\.[2-5]/, control: 'effort', efforts: ['none', ...TO_XHIGH] },
  { name: /^gpt-6(?:-astra|\.\d+-sol)/, control: 'effort', efforts: TO_MAX },
  { name: /^gpt-(?:5\.|[6-9])/, control: 'effort', efforts: OFF_TO_MAX },
  { name: /^gpt-oss/, control: 'effort', efforts: TO_HIGH, defaultEffort: 'medium' },
  { name: /^o[1-9](?:-|$)/, control: 'effort', efforts: TO_HIGH, defaultEffort: 'medium' },
]

const GEMINI: readonly Rule[] = [
  { name: /^gemini-2\.5-pro/, control: 'budget', efforts: TO_HIGH },
  { name: /^gemini-2\.5/, control: 'budget', efforts: ['none', ...TO_HIGH] },
  { name: /^gemini-3-pro/, control: 'effort', efforts: ['low', 'high'], defaultEffort: 'high' },
  { name: /^gemini-3(?:\.\d+)?-flash/, control: 'effort', efforts: ['minimal', ...TO_HIGH], defaultEffort: 'high' },
  { name: /^gemini-[3-9]/, control: 'effort', efforts: TO_HIGH, defaultEffort: 'high' },
]

/** Kimi models whose thinking can be switched; the others always or never think and reject the field. */
const KIMI: readonly Rule[] = [{ name: /^kimi-k2\.[56](?:$|-)/, control: 'switch', defaultEffort: 'high' }]

/** `thinking`: whether config.toml says that it thinks. */
function guessThinking(type: ProviderType, model: string, thinking: boolean): GuessedThinking {
  const name = model.slice(model.lastIndexOf('/') + 1).toLowerCase()
  const family = modelFamily(model)
  const otherwise: GuessedThinking = { control: thinking ? 'always' : 'none' }
  const first = (rules: readonly Rule[]): Rule | undefined => rules.find((rule) => rule.name.test(name))
  switch (type) {
    case 'anthropic':
      // Servers that copy the protocol know budgets, and usually nothing else.
      return family === 'claude'
        ? (first(CLAUDE) ?? otherwise)
        : thinking
          ? { control: 'budget', defaultEffort: 'high' }
          : otherwise
    case 'openai-responses':
      return first(OPENAI) ?? (thinking ? { control: 'effort' } : otherwise)
    case 'google':
      return first(GEMINI) ?? otherwise
    case 'moonshot':
      return first(KIMI) ?? otherwise
    default:
      return first(OPENAI) ?? first(KIMI) ?? otherwise
  }
}

/**
 * The family a model belongs to, from its name or id: `kimi` of `moonshotai/Kimi-K2.6`, `claude` of `claude-opus-5`.
 * Its models can read each other's plain thinking; an unknown name is its own family.
 */
export function modelFamily(name: string): string {
  const last = name.slice(name.lastIndexOf('/') + 1).toLowerCase()
  if (last.includes('claude')) return 'claude'
  return /^[a-z]+/.exec(last)?.[0] ?? last
}

/** Families whose servers reject a message with calls but without its thinking, even if another model wrote it. */
const NEEDS_FIELD: ReadonlySet<string> = new Set(['kimi', 'deepseek'])

/** The thinking field that a model requires with every call while it thinks; undefined for other models. */
export function neededThinkingField(model: string): 'reasoning_content' | undefined {
  return NEEDS_FIELD.has(modelFamily(model)) ? 'reasoning_content' : undefined
}
