import type { McpImportPreview, McpImportServer } from '../../../../shared/model/mcp-import'

/** What the user has decided about one server that could be taken over. */
export interface Pick {
  chosen: boolean
  name: string
  /** Takes the place of the one of this name. */
  replace: boolean
  values: Readonly<Record<string, string>>
}

export function startPick(server: McpImportServer, chosen: boolean): Pick {
  return { chosen, name: server.freeName, replace: false, values: {} }
}

/** What is new is chosen to begin with, except what belongs to another project. */
export function beginsPicked(
  preview: { folder?: McpImportPreview['folder'] },
  server: { state: McpImportServer['state'] },
  { pasted, folder }: { pasted: boolean; folder: string | undefined },
): boolean {
  if (server.state === 'unusable' || server.state === 'same') return false
  if (pasted) return true
  return server.state === 'new' && (preview.folder === undefined || preview.folder === folder)
}

/** Why these cannot be added together. */
export function picksProblem(picks: readonly { pick: Pick }[]): string | undefined {
  const names = picks.map(({ pick }) => pick.name.trim())
  if (names.includes('')) return 'Each server needs a name.'
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  return twice === undefined ? undefined : `Two servers are named ${twice}.`
}
