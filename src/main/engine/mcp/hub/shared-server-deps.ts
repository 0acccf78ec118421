import type { McpServerDefinition } from '../../../../shared/model/mcp'
import type { Ask } from '../ask/create-ask'
import type { ConnectionHooks } from '../connection-hooks'
import type { ConnectionPlan } from '../connection/connection'
import type { ListingCache } from '../connection/listing'

/** What a shared server needs from the hub. */
export interface SharedServerDeps {
  home: string
  version: string
  /** Loads the protocol. */
  hooks(): Promise<ServerHooks>
  cache: ListingCache
  /** What commands get. */
  env(): Record<string, string>
  /** Resolves when that is complete. */
  ready?(): Promise<void>
  /** Without use for so long it is stopped; 0: never. */
  idleMs(): number
  /** Another session uses it. */
  joined(): void
  /** Something about it that is shown, or its tools, may have changed. */
  changed(): void
  random(): number
}

/** Beside what every connection has: what a call may need before it can be made. */
export type ServerHooks = ConnectionHooks & Pick<Ask, 'openPages'>

/** How it is started: what differs between those who use one definition. */
export interface StartPlan {
  name: string
  cwd: string
  /** With variables filled in; throws a `CodedError`. */
  definition(): McpServerDefinition
  /** What that is started with. */
  sandbox: ConnectionPlan['sandbox']
}
