import type { McpServerDefinition, McpServerView } from '../../../../shared/configuration/mcp'

/** What sign-ins need to know of a server that is reached over HTTP. */
export type OAuthServer = Pick<Extract<McpServerDefinition, { url: string }>, 'url' | 'headers' | 'oauth'>

export type FetchLike = (url: string | URL, init?: RequestInit) => Promise<Response>

/** Sign-ins with servers (OAuth as in the authorization specification of revision 2026-07-28). Nothing of the SDK is loaded before it is needed. */
export interface McpAuth {
  /**
   * A `fetch` for the transport of one server: sends the token as it is at that moment, renews it when it is about to end or is refused, and rejects with
   * CodedError `mcp.sign_in` when the server wants a person to sign in, or to sign in for more. Give it to the SDK's transports as `fetch`, without an
   * `authProvider`.
   */
  fetchFor(server: OAuthServer): FetchLike
  /** How the user stands with a server; undefined while it has not asked for a sign-in. */
  view(server: OAuthServer): McpServerView['auth']
  /**
   * Signs in: `open` is given the page for the browser (http or https), once; resolves when tokens are kept. A later sign-in with the same server replaces
   * one under way. CodedError `mcp.sign_in_failed`; given up after 10 minutes and when `signal` is aborted.
   */
  signIn(server: OAuthServer, open: (url: string) => void, signal?: AbortSignal): Promise<void>
  /** Revokes the tokens where the server offers that, and forgets them and the registration. */
  signOut(server: OAuthServer): Promise<void>
  /** Ends sign-ins under way. */
  close(): void
}
