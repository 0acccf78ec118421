import type { UserPart } from '../../../shared/model/message'
import type { McpPrompt, McpResource, McpResourceContent } from '../../../shared/model/mcp-content'

/** What MCP servers offer a session beside tools, for hosts. See the contract of the same name. Failures are `CodedError`s. */
export interface McpContent {
  prompts(sessionId: string, server?: string): Promise<McpPrompt[]>
  resources(sessionId: string, query: string, limit: number): Promise<McpResource[]>
  complete(
    sessionId: string,
    argument: { server: string; prompt: string; argument: string; value: string; given: Readonly<Record<string, string>> },
  ): Promise<string[]>
  read(sessionId: string, server: string, uri: string): Promise<McpResourceContent>
}

/** What the engine itself does with it. */
export interface HeldMcpContent extends McpContent {
  /** A prompt with what it names of servers behind it. A `CodedError` when that cannot be had. */
  attach(sessionId: string, parts: UserPart[]): Promise<UserPart[]>
  /** The session is gone. */
  forget(sessionId: string): void
}
