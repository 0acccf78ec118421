import { flag, number, settingTable, type ValuesOf } from '../toml/setting-table'

/** `[mcp]`: how MCP servers run. The servers themselves are configured in mcp.json files. */
export const MCP = settingTable('mcp', {
  idleMs: number(
    'idle_minutes',
    10 * 60_000,
    { min: 0, max: 100_000, whole: false, scale: 60_000 },
    'a server is stopped after this many minutes without use; 0: never',
  ),
  startWaitMs: number(
    'start_wait_s',
    5_000,
    { min: 0, max: 600, whole: false, scale: 1000 },
    'how many seconds the first turn waits for servers that were never seen before',
  ),
  sampling: flag('sampling', false, 'whether servers may ask to use your model; you approve each request'),
})
export type McpSettings = ValuesOf<typeof MCP.fields>

/** Allowed ranges of the numbers in `[tool_search]`. */
export const TOOL_SEARCH_RANGES = {
  minPct: { min: 0, max: 100, whole: false },
  minTokens: { min: 0, max: 100_000_000 },
  matchingThreshold: { min: 0, max: 1000, whole: false },
} as const

/** `[tool_search]`: when servers' tools are loaded on demand instead of being sent with each request. */
export const TOOL_SEARCH = settingTable('tool_search', {
  enabled: flag('enabled', false, 'load MCP tools on demand instead of sending all of them'),
  minPct: number(
    'min_pct',
    5,
    TOOL_SEARCH_RANGES.minPct,
    'only when tools take more than this percentage of the context window…',
  ),
  minTokens: number(
    'min_tokens',
    50_000,
    TOOL_SEARCH_RANGES.minTokens,
    '…or more than this many tokens. 0 for both: always',
  ),
  matchingThreshold: number(
    'matching_threshold',
    1.5,
    TOOL_SEARCH_RANGES.matchingThreshold,
    'minimum score of search results',
  ),
})
export type ToolSearchSettings = ValuesOf<typeof TOOL_SEARCH.fields>

/** The tables of this file, for the documentation. */
export const MCP_TABLES = [MCP, TOOL_SEARCH]

/** Overrides `matching_threshold`. */
export const THRESHOLD_VARIABLE = 'TRESTLE_TOOL_SEARCH_MATCHING_THRESHOLD'

/** The effective threshold: the environment's if it is a valid number, otherwise the file's. */
export function matchingThreshold(
  settings: Pick<ToolSearchSettings, 'matchingThreshold'>,
  env: NodeJS.ProcessEnv,
): number {
  return thresholdOf(env) ?? settings.matchingThreshold
}

/** What is wrong with the threshold in the environment, as a sentence. */
export function thresholdMistake(env: NodeJS.ProcessEnv): string | undefined {
  const text = env[THRESHOLD_VARIABLE]?.trim() ?? ''
  if (text === '' || thresholdOf(env) !== undefined) return undefined
  const { min, max } = TOOL_SEARCH_RANGES.matchingThreshold
  return (
    `The environment variable ${THRESHOLD_VARIABLE} must be a number from ${min} to ${max}, ` +
    `not ${JSON.stringify(text.slice(0, 40))}; matching_threshold in [tool_search] applies instead. ` +
    'Correct it or unset it.'
  )
}

function thresholdOf(env: NodeJS.ProcessEnv): number | undefined {
  const text = env[THRESHOLD_VARIABLE]?.trim() ?? ''
  const { min, max } = TOOL_SEARCH_RANGES.matchingThreshold
  const number = Number(text)
  return text !== '' && number >= min && number <= max ? number : undefined
}
