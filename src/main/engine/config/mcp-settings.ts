import type { TableReader } from './table-reader'

/** `[mcp]`: how servers of the Model Context Protocol run. Which there are stands in files of their own. */
export interface McpSettings {
  /** A server nobody has used for so long is stopped; 0: never. */
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
