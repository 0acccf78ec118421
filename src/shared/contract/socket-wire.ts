/**
 * What page and web host agree on beside the contract. The page opens a WebSocket with two subprotocols: `SOCKET_PROTOCOL` and the token. The
 * host answers `ready` as the first message, or closes with `SOCKET_REFUSED`. Then come the contract's own messages; `ping` is answered by `pong`.
 */
export const SOCKET_PROTOCOL = 'trestle.1'

/** Close code for a wrong token: this client will never be let in. */
export const SOCKET_REFUSED = 4401

/** Path of the WebSocket on the host. */
export const SOCKET_PATH = '/socket'

/** The token as a subprotocol: a header, so it is in no URL, no log and no Referer. */
export function tokenProtocol(token: string): string {
  return `token.${token}`
}
