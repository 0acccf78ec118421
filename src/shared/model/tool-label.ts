/** What people read instead of a tool's full name: `tracker · create_issue` for `mcp__tracker__create_issue`, `Patch` for `apply_patch`, any other name as it is. */
export function toolLabel(name: string): string {
  // No server's part of a name has two underscores in a row (engine/mcp/tool/tool-names.ts).
  const [, server, tool] = /^mcp__(.+?)__(.+)$/.exec(name) ?? []
  if (server !== undefined && tool !== undefined) return `${server} · ${tool}`
  return name === 'apply_patch' ? 'Patch' : name
}
