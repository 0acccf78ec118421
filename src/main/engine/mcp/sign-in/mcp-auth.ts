import type { McpServerDefinition, McpServerView } from '../../../../shared/configuration/customize/mcp'

/** What sign-ins need to know about an HTTP server. */
export type OAuthServer = Pick<Extract<McpServerDefinition, { url: string }>, 'url' | 'headers' | 'oauth'>

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>

/**
 * Sign-ins with servers (OAuth as in the authorization specification of revision 2026-07-28). The SDK is not loaded
 * before it is needed.
 */
export interface McpAuth {
  /**
   * A `fetch` for the transport of one server: sends the current token, renews it when it is about to expire or was
   * rejected, and rejects with `mcp.sign_in` when the server requires the user to sign in, or to sign in with more
   * scopes. Pass it to the SDK's transports as `fetch`, without an
   * `authProvider`.
   */
  fetchFor(server: OAuthServer): FetchLike
  /** The sign-in state of a server; undefined if it has never asked for a sign-in. */
  view(server: OAuthServer): McpServerView['auth']
  /**
   * Signs in: `open` gets the page for the browser (http or https), once; resolves when tokens are stored. A later
   * sign-in with the same server replaces a running one. Throws `mcp.sign_in_failed`; ends after 10 minutes, or when
   * `signal` is aborted.
   */
  signIn(server: OAuthServer, open: (url: string) => void, signal?: AbortSignal): Promise<void>
  /** Revokes the tokens if the server supports that, and deletes them and the registration. */
  signOut(server: OAuthServer): Promise<void>
  /** Ends running sign-ins. */
  close(): void
}
