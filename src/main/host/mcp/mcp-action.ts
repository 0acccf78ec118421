import { UsageError, type Parsed } from '../../command-line/parse'
import type { Engine } from '../../engine/engine-api'

/** What an action is given. */
export interface McpAction {
  mcp: Engine['mcp']
  folder: string
  values: Parsed['values']
  words: string[]
  /** `--` stood among them: what follows it is a command. */
  hasSeparator: boolean
  isJson: boolean
  /** Aborted by Ctrl+C. */
  signal: AbortSignal
}

/** Wrong usage of `trestle mcp`. */
export function wrong(message: string): UsageError {
  return new UsageError(message, 'mcp')
}
