import { timingSafeEqual } from 'node:crypto'
import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The parameters that the authorization server redirected the browser with. */
export interface Redirected {
  params: URLSearchParams
  /** Sets what the browser shows. Called once. */
  show(title: string, text: string): void
}

/** Listens on this machine only for the redirect at the end of a sign-in. */
export interface RedirectListener {
  /** The `redirect_uri`. */
  url: string
  /**
   * The first request with this `state`; others get an error page. Rejects with the reason of `signal` when that
   * aborts.
   */
  wait(state: string, signal: AbortSignal): Promise<Redirected>
  close(): void
}

const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
  // The page's address contains the code.
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  connection: 'close',
}

/**
 * Listens at the `wanted` address (at a free port if it names no port); without one, at any free port. Undefined when
 * the port is in use.
 */
export async function listenForRedirect(wanted?: string): Promise<RedirectListener | undefined> {
  const address = wanted === undefined ? undefined : new URL(wanted)
  const path = address?.pathname ?? '/callback'
  const server = createServer({ maxHeaderSize: 32_768, requestTimeout: 10_000 })
  const port = await listen(server, Number(address?.port ?? 0))
  if (port === undefined) return undefined
  return {
    url: `http://${address?.hostname ?? '127.0.0.1'}:${port}${path}`,
    wait: (state, signal) =>
      new Promise((resolve, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true })
        if (signal.aborted) reject(signal.reason as Error)
        server.on('request', (request, response) => {
          const show = (status: number, title: string, text: string): void =>
            answer(response, status, signInPage(title, text))
          const url = new URL(request.url ?? '/', 'http://127.0.0.1')
          if (url.pathname !== path || request.method !== 'GET')
            return show(404, 'Nothing is here', 'You can close this tab.')
          if (!isSame(url.searchParams.get('state') ?? '', state))
            return show(
              400,
              'This is not the sign-in Trestle waits for',
              'Close this tab and start the sign-in in Trestle again.',
            )
          return resolve({ params: url.searchParams, show: (title, text) => show(200, title, text) })
        })
      }),
    close() {
      server.close()
      // Responses in progress can finish; they close their connections themselves.
      server.closeIdleConnections()
    },
  }
}

function listen(server: Server, port: number): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE' || error.code === 'EACCES') resolve(undefined)
      else reject(error)
    })
    server.listen(port, '127.0.0.1', () => resolve((server.address() as AddressInfo).port))
  })
}

function answer(response: ServerResponse, status: number, page: string): void {
  response.writeHead(status, HEADERS).end(page)
}

function isSame(given: string, expected: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The page that the browser shows at the end of a sign-in. Self-contained, without scripts. */
function signInPage(title: string, text: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(title)} – Trestle</title>
<style>
body { margin: 0; min-height: 100vh; display: grid; place-items: center; font: 16px/1.5 system-ui, sans-serif;
  background: #fafaf9; color: #1c1917 }
main { max-width: 30rem; padding: 2rem; text-align: center }
h1 { font-size: 1.375rem; line-height: 1.3; margin: 0 0 .5rem; overflow-wrap: anywhere }
p { margin: 0; color: #57534e; overflow-wrap: anywhere }
@media (prefers-color-scheme: dark) { body { background: #171614; color: #f5f5f4 } p { color: #a8a29e } }
</style>
</head>
<body><main><h1>${escape(title)}</h1><p>${escape(text)}</p></main></body>
</html>
`
}

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (sign) => `&#${sign.charCodeAt(0)};`)
}
