import { CodedError } from '../../../../shared/errors'
import type { KeyStore } from '../../config/key-store/key-store'
import type { RoutedFetch } from '../../network/network'
import { checkedRedirects } from './checked-redirects'
import { bearerFetch, hasConfiguredAuthorization, type SignInDemand } from './bearer-fetch'
import type { McpAuth, OAuthServer } from './mcp-auth'
import { createSignInStore, keyOf, type SignIn } from './sign-in-store'

/** Time limit for the user to sign in in the browser. */
const SIGN_IN_MS = 10 * 60_000

const REVOKE_MS = 5_000

export interface McpAuthOptions {
  home: string
  /** Encrypts what is stored; default: a file that only the user can read. */
  keyStore?: KeyStore
  /** Called when the sign-in state of a server has changed. */
  changed(server: OAuthServer): void
  /** Default: Node's. */
  fetch?: RoutedFetch
  now?: () => number
}

/** Opens the sign-ins of a home. Nothing is loaded or sent before it is used. */
export function createMcpAuth({
  home,
  keyStore,
  changed,
  fetch = globalThis.fetch,
  now = Date.now,
}: McpAuthOptions): McpAuth {
  const store = createSignInStore({ home, ...(keyStore && { keyStore }) })
  const wanted = new Map<string, SignInDemand>()
  const underWay = new Map<string, AbortController>()
  const renewals = new Map<string, Promise<SignIn['tokens']>>()

  /**
   * Renews a sign-in. Each has at most one renewal at a time, in this process and across all processes of the home,
   * because a refresh token works only once.
   */
  const renewed = (server: OAuthServer, stale: string): Promise<SignIn['tokens']> => {
    const key = keyOf(server)
    const running = renewals.get(key)
    if (running) return running
    const renewal = store
      .withLock(server, async () => {
        const held = store.get(server)
        // Another process has already renewed it.
        if (!held?.tokens || held.tokens.access !== stale) return held?.tokens
        // The token may be accepted again later; deleting it gains nothing.
        if (held.tokens.refresh === undefined) return undefined
        const [{ renew }, { oauthFetch }] = await Promise.all([import('./sign-in-flow'), import('./oauth-fetch')])
        const tokens = await renew(held, oauthFetch(server.url, undefined, fetch), now())
        // The registration stays, because it was not what was rejected.
        await store.change(server, (latest) => latest && withTokens(latest, tokens))
        changed(server)
        return tokens
      })
      .finally(() => renewals.delete(key))
    renewals.set(key, renewal)
    return renewal
  }

  const signIn = async (server: OAuthServer, open: (url: string) => void, signal: AbortSignal): Promise<void> => {
    const { signInFlow } = await import('./sign-in-flow')
    const { probeAuthorization } = await import('./sign-in-flow')
    const { oauthFetch } = await import('./oauth-fetch')
    const key = keyOf(server)
    const fetchFn = oauthFetch(server.url, signal, fetch)
    const challenge = wanted.get(key)?.challenge ?? (await probeAuthorization(server, signal, fetch))
    const kept = store.get(server)
    try {
      const made = await signInFlow({
        server,
        ...(kept && { kept }),
        ...(challenge && { challenge }),
        open,
        signal,
        fetchFn,
        now,
      })
      await store.change(server, () => made)
      wanted.delete(key)
    } catch (error) {
      // A registration that the authorization server has deleted looks like a closed tab, so the next sign-in registers
      // again.
      if (kept && !kept.tokens) await store.change(server, (latest) => (latest?.tokens ? latest : undefined))
      throw error
    }
  }

  return {
    fetchFor: (server) =>
      bearerFetch(server, {
        fetch: checkedRedirects(server.url, fetch),
        tokens: () => store.get(server)?.tokens,
        scopes: () => store.get(server)?.scopes ?? [],
        renewed: (stale) => renewed(server, stale),
        requireSignIn(wish) {
          wanted.set(keyOf(server), wish)
          changed(server)
        },
        now,
      }),
    view(server) {
      const held = store.get(server)?.tokens
      const wish = wanted.get(keyOf(server))
      // The demand is over once there is a token other than the rejected one.
      const wants = wish?.refused === held?.access ? wish?.why : undefined
      if (!held) return wants === undefined ? undefined : { state: 'signed_out', wants }
      const scopes = (held.scope ?? store.get(server)?.scopes.join(' '))?.split(' ').filter(Boolean)
      return {
        state: 'signed_in',
        ...(scopes && scopes.length > 0 && { scopes }),
        // An automatic renewal does not change what the user sees.
        ...(held.expiresAt !== undefined && held.refresh === undefined && { expiresAt: held.expiresAt }),
        ...(wants !== undefined && { wants }),
      }
    },
    async signIn(server, open, signal) {
      if (hasConfiguredAuthorization(server))
        throw new CodedError(
          'mcp.sign_in_failed',
          'This server is configured with an Authorization header, which is sent as it is. Take it out to sign in.',
        )
      const key = keyOf(server)
      underWay.get(key)?.abort(new CodedError('mcp.sign_in_failed', 'Another sign-in with this server was started.'))
      const own = new AbortController()
      underWay.set(key, own)
      const late = setTimeout(
        () => own.abort(new CodedError('mcp.sign_in_failed', 'It was not finished in the browser within 10 minutes.')),
        SIGN_IN_MS,
      )
      const cancelled = (): void => own.abort(new CodedError('mcp.sign_in_failed', 'It was cancelled.'))
      signal?.addEventListener('abort', cancelled, { once: true })
      if (signal?.aborted) cancelled()
      try {
        await signIn(server, open, own.signal)
      } finally {
        clearTimeout(late)
        signal?.removeEventListener('abort', cancelled)
        if (underWay.get(key) === own) underWay.delete(key)
      }
      changed(server)
    },
    async signOut(server) {
      underWay.get(keyOf(server))?.abort(new CodedError('mcp.sign_in_failed', 'You signed out in the meantime.'))
      await store.withLock(server, async () => {
        const held = store.get(server)
        await store.change(server, () => undefined)
        if (!held?.tokens || held.endpoints.revocation === undefined) return
        const [{ revoke }, { oauthFetch }] = await Promise.all([import('./sign-in-flow'), import('./oauth-fetch')])
        // Always removed here, because tokens that are not revoked expire anyway.
        await revoke(held, oauthFetch(server.url, AbortSignal.timeout(REVOKE_MS), fetch)).catch(() => undefined)
      })
      changed(server)
    },
    close() {
      for (const own of underWay.values())
        own.abort(new CodedError('mcp.sign_in_failed', 'Trestle was closed in the meantime.'))
    },
  }
}

function withTokens({ tokens: _old, ...rest }: SignIn, tokens: SignIn['tokens']): SignIn {
  return { ...rest, ...(tokens && { tokens }) }
}
