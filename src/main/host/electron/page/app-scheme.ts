import { APP_ORIGIN, APP_SCHEME } from '../../../../shared/contract/page-host'
import { pageHeaders, readPageFile } from '../../../api/page-files'
import type { ElectronModule } from '../platform/electron-module'
import { PROBLEM_HEADERS } from './problem-page'

/**
 * Registers `trestle://` as a scheme like https: with an origin, relative URLs, storage, and fetch. Call it once,
 * before the app is ready.
 */
export function registerAppScheme(protocol: ElectronModule['protocol']): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: APP_SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true, codeCache: true } },
  ])
}

/**
 * Serves the built interface at `trestle://app/`, with the content security policy, and the host's own `documents`;
 * every other URL of the scheme is not found.
 */
export function serveAppScheme(
  protocol: ElectronModule['protocol'],
  rendererDir: string,
  documents: (path: string) => string | undefined,
): void {
  protocol.handle(APP_SCHEME, (request) => answerPage(request, rendererDir, documents))
}

async function answerPage(
  request: Request,
  rendererDir: string,
  documents: (path: string) => string | undefined,
): Promise<Response> {
  const headers = pageHeaders()
  const say = (status: number, text: string): Response =>
    new Response(text, { status, headers: { ...headers, 'content-type': 'text/plain; charset=utf-8' } })
  const url = new URL(request.url)
  // Not `url.origin`: Node calls the origin of every scheme it does not know "null".
  if (`${url.protocol}//${url.host}` !== APP_ORIGIN) return say(404, 'Not found.')
  if (request.method !== 'GET' && request.method !== 'HEAD') return say(405, 'Only GET and HEAD.')
  const document = documents(url.pathname)
  if (document !== undefined) return new Response(document, { headers: { ...headers, ...PROBLEM_HEADERS } })
  const file = await readPageFile(rendererDir, url.pathname === '' ? '/' : url.pathname)
  if (!file) return say(404, 'Not found.')
  return new Response(request.method === 'HEAD' ? null : file.body, {
    headers: { ...headers, 'content-type': file.contentType, 'cache-control': file.cacheControl },
  })
}
