import type { TableReader } from './table-reader'

/** `[mcp]`: how servers of the Model Context Protocol run. Which there are stands in files of their own. */
export interface McpSettings {
  /** ms after which an unused server is stopped; 0: never. */
  idleMs: number
  /** So long the first turn with servers that were never seen before waits for all of them together. */
  startWaitMs: number
  /** Whether servers may ask to have the model asked; a person is asked each time. */
  sampling: boolean
}

export const DEFAULT_MCP_SETTINGS: McpSettings = { idleMs: 10 * 60_000, startWaitMs: 5_000, sampling: false }

export function readMcpSettings(reader: TableReader | undefined): McpSettings {
  if (!reader) return DEFAULT_MCP_SETTINGS
  const idleMinutes = reader.number('idle_minutes', { min: 0, max: 100_000, whole: false })
  const startWaitS = reader.number('start_wait_s', { min: 0, max: 600, whole: false })
  const sampling = reader.flag('sampling') ?? DEFAULT_MCP_SETTINGS.sampling
  reader.finish()
  return {
    idleMs: idleMinutes === undefined ? DEFAULT_MCP_SETTINGS.idleMs : Math.round(idleMinutes * 60_000),
    startWaitMs: startWaitS === undefined ? DEFAULT_MCP_SETTINGS.startWaitMs : Math.round(startWaitS * 1000),
    sampling,
  }
}

/** `[tool_search]`: when tools of servers are loaded on demand instead of being sent with each request. */
export interface ToolSearchSettings {
  /** Default false: every tool is sent. */
  enabled: boolean
  /** Tools are searched for once they take more than this percentage of the model's window, or… */
  minPct: number
  /** …more than this many tokens. With 0 for both they always are. */
  minTokens: number
  /** Results of a search score above this. */
  matchingThreshold: number
}

export const DEFAULT_TOOL_SEARCH: ToolSearchSettings = {
  enabled: false,
  minPct: 5,
  minTokens: 50_000,
  matchingThreshold: 1.5,
}

/** Overrides `matching_threshold`. */
export const THRESHOLD_VARIABLE = 'TRESTLE_TOOL_SEARCH_MATCHING_THRESHOLD'

/** The names in the file. */
export const TOOL_SEARCH_KEYS = {
  enabled: 'enabled',
  minPct: 'min_pct',
  minTokens: 'min_tokens',
  matchingThreshold: 'matching_threshold',
} as const satisfies Record<keyof ToolSearchSettings, string>

/** What the numbers of `[tool_search]` may be, by the name in the file. */
export const TOOL_SEARCH_RANGES = {
  min_pct: { min: 0, max: 100, whole: false },
  min_tokens: { min: 0, max: 100_000_000 },
  matching_threshold: { min: 0, max: 1000, whole: false },
} as const

/** Reads `[tool_search]`; what is wrong in it is reported, and its default applies. */
export function readToolSearch(reader: TableReader | undefined): ToolSearchSettings {
  const defaults = DEFAULT_TOOL_SEARCH
  if (!reader) return defaults
  const enabled = reader.flag('enabled') ?? defaults.enabled
  const minPct = reader.number('min_pct', TOOL_SEARCH_RANGES.min_pct) ?? defaults.minPct
  const minTokens = reader.number('min_tokens', TOOL_SEARCH_RANGES.min_tokens) ?? defaults.minTokens
  const matchingThreshold =
    reader.number('matching_threshold', TOOL_SEARCH_RANGES.matching_threshold) ?? defaults.matchingThreshold
  reader.finish()
  return { enabled, minPct, minTokens, matchingThreshold }
}

/** The effective threshold: the environment's when that is a valid number, else the file's. */
export function matchingThreshold(
  settings: Pick<ToolSearchSettings, 'matchingThreshold'>,
  env: NodeJS.ProcessEnv,
): number {
  return thresholdOf(env) ?? settings.matchingThreshold
}

/** What is wrong with the threshold that the environment sets, as a sentence. */
export function thresholdMistake(env: NodeJS.ProcessEnv): string | undefined {
  const text = env[THRESHOLD_VARIABLE]?.trim() ?? ''
  if (text === '' || thresholdOf(env) !== undefined) return undefined
  const { min, max } = TOOL_SEARCH_RANGES.matching_threshold
  return `The environment variable ${THRESHOLD_VARIABLE} must be a number from ${min} to ${max}, not ${JSON.stringify(text.slice(0, 40))}; matching_threshold in [tool_search] applies instead. Correct it or unset it.`
}

function thresholdOf(env: NodeJS.ProcessEnv): number | undefined {
  const text = env[THRESHOLD_VARIABLE]?.trim() ?? ''
  const { min, max } = TOOL_SEARCH_RANGES.matching_threshold
  const number = Number(text)
  return text !== '' && number >= min && number <= max ? number : undefined
}
