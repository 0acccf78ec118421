import { join } from 'node:path'

/** How a product writes its servers down. */
export type ImportFormat = 'mcpServers' | 'claude-code' | 'vscode' | 'codex'

/** A file in which another product keeps servers. */
export interface ImportPlace {
  sourceId: string
  product: string
  file: string
  format: ImportFormat
  /** The project it belongs to. */
  folder?: string
}

export interface Machine {
  platform: NodeJS.Platform
  userHome: string
  env: Readonly<Record<string, string | undefined>>
}

/** Where other products keep their servers, for the user and in `folder`; whether anything is there is not looked at. */
export function importPlaces({ platform, userHome, env }: Machine, folder?: string): ImportPlace[] {
  const at = (...parts: string[]): string => join(userHome, ...parts)
  const appData =
    platform === 'darwin'
      ? at('Library', 'Application Support')
      : platform === 'win32'
        ? (env['APPDATA'] ?? at('AppData', 'Roaming'))
        : env['XDG_CONFIG_HOME'] || at('.config')
  const places: Omit<ImportPlace, 'sourceId'>[] = [
    { product: 'Claude Code', file: join(env['CLAUDE_CONFIG_DIR'] || userHome, '.claude.json'), format: 'claude-code' },
    { product: 'Claude Desktop', file: join(appData, 'Claude', 'claude_desktop_config.json'), format: 'mcpServers' },
    { product: 'Cursor', file: at('.cursor', 'mcp.json'), format: 'mcpServers' },
    ...['Code', 'Code - Insiders', 'VSCodium'].flatMap((name): Omit<ImportPlace, 'sourceId'>[] => {
      const product = name.startsWith('Code') ? name.replace('Code', 'VS Code') : name
      return ['mcp.json', 'settings.json'].map((file) => ({ product, file: join(appData, name, 'User', file), format: 'vscode' }))
    }),
    { product: 'Codex', file: join(env['CODEX_HOME'] || at('.codex'), 'config.toml'), format: 'codex' },
    { product: 'Kimi Code', file: join(env['KIMI_CODE_HOME'] || at('.kimi-code'), 'mcp.json'), format: 'mcpServers' },
    { product: 'Kimi CLI', file: at('.kimi', 'mcp.json'), format: 'mcpServers' },
  ]
  if (folder !== undefined)
    places.push(
      { product: 'Cursor', file: join(folder, '.cursor', 'mcp.json'), format: 'mcpServers', folder },
      { product: 'VS Code', file: join(folder, '.vscode', 'mcp.json'), format: 'vscode', folder },
      { product: 'Codex', file: join(folder, '.codex', 'config.toml'), format: 'codex', folder },
      { product: 'Kimi Code', file: join(folder, '.kimi-code', 'mcp.json'), format: 'mcpServers', folder },
    )
  return places.map((place) => ({ ...place, sourceId: place.file }))
}
