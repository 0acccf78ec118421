import type { SessionTool } from '../../../shared/model/tools-view'

/** The tools of one server, or Trestle's own (`server` undefined). */
export interface ToolGroup {
  server?: string
  tools: SessionTool[]
  /** How many of them are sent with each request. */
  sent: number
  /** Tokens that those sent with each request take. */
  sentTokens: number
  /** Tokens that all would take which are not switched off. */
  allTokens: number
}

/** Trestle's own tools first, then each server in the order of the list; only tools that fit the query, and no empty groups. */
export function toolGroups(tools: readonly SessionTool[], query: string): ToolGroup[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  const groups = new Map<string | undefined, ToolGroup>()
  for (const tool of tools) {
    const text = `${tool.name} ${tool.server?.name ?? ''} ${tool.server?.tool ?? ''} ${tool.description}`.toLowerCase()
    if (!words.every((word) => text.includes(word))) continue
    const server = tool.server?.name
    const group = groups.get(server) ?? { ...(server !== undefined && { server }), tools: [], sent: 0, sentTokens: 0, allTokens: 0 }
    groups.set(server, group)
    group.tools.push(tool)
    // Whole tokens as each row shows them, so that the rows add up to what stands above them.
    const tokens = Math.round(tool.tokens)
    if (tool.state === 'active') {
      group.sent += 1
      group.sentTokens += tokens
    }
    if (tool.state !== 'off') group.allTokens += tokens
  }
  return [...groups.values()].toSorted((a, b) => Number(a.server !== undefined) - Number(b.server !== undefined))
}

/** What the groups add up to: the tools that are sent with each request, and their tokens. */
export function sentWithRequests(groups: readonly ToolGroup[]): { tools: number; tokens: number } {
  return {
    tools: groups.reduce((sum, group) => sum + group.sent, 0),
    tokens: groups.reduce((sum, group) => sum + group.sentTokens, 0),
  }
}
