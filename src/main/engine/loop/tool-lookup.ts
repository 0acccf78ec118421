import type { ToolSchema } from '../model/provider'
import type { Tool } from '../tool/tool'

/** The tools of a turn, as the loop sees them. */
export interface ToolLookup {
  get(name: string): Tool | undefined
  /** As they are now, asked before each step; the same array as long as nothing has changed. */
  schemas(): readonly ToolSchema[]
  /** What the model is told of tools that it can load; the same as long as they are the same. */
  loadable?(): string | undefined
  /** The validated input, or what to tell the model: malformed JSON, unknown or missing fields. */
  parseInput(tool: Tool, rawJson: string): { input: unknown } | { error: string }
  /** What to tell the model that called a tool which does not exist. */
  unknownTool(name: string): string
}
