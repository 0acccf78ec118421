import type { Tool } from './tool'

/** A tool that belongs to a server of the Model Context Protocol, as the engine has it. */
export type ServerTool = Tool & Required<Pick<Tool, 'server' | 'schema'>>

/** The tools of a session's servers as they are now: the same array, of the same tools, until something changes. */
export interface ServerTools {
  tools(): readonly ServerTool[]
  /** Those that are switched off where their server is configured: for people to see, never offered. */
  switchedOff(): readonly ServerTool[]
  /** What the servers say about their use, by the names they are configured under. */
  instructions(): readonly { server: string; text: string }[]
}

/** How tool search names it: `server::tool`. */
export function serverToolId({ server }: Pick<ServerTool, 'server'>): string {
  return `${server.name}::${server.tool}`
}
