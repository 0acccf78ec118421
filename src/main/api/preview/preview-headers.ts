import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http'

/** The two origins that stand for each other: the server's own, and the one that the frame loads it from. */
export interface PreviewOrigins {
  target: string
  frame: string
  /** Pages that may show the frame, as a policy names them. */
  ancestors: string
}

/** Headers that belong to one connection only. */
const PER_CONNECTION = ['connection', 'keep-alive', 'proxy-connection', 'transfer-encoding', 'te', 'trailer']

/** What the server is asked: as if the page had been opened directly. `isUpgrade`: the connection becomes a WebSocket. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  { target, frame }: PreviewOrigins,
  isUpgrade = false,
): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = { ...headers, host: new URL(target).host }
  if (!isUpgrade) for (const name of PER_CONNECTION) delete sent[name]
  // Pages are changed on the way, so they must not be compressed.
  delete sent['accept-encoding']
  for (const name of ['origin', 'referer'] as const) {
    const value = headers[name]
    if (value?.startsWith(frame)) sent[name] = target + value.slice(frame.length)
  }
  return sent
}

/** What the frame gets: redirects and cookies of its own origin, and only Trestle's page may show it. */
export function responseHeaders(
  headers: IncomingHttpHeaders,
  { target, frame, ancestors }: PreviewOrigins,
): OutgoingHttpHeaders {
  const sent: OutgoingHttpHeaders = { ...headers }
  for (const name of [...PER_CONNECTION, 'x-frame-options', 'cross-origin-opener-policy', 'strict-transport-security'])
    delete sent[name]
  const { location } = headers
  if (location?.startsWith(target)) sent['location'] = frame + location.slice(target.length)
  const cookies = headers['set-cookie']
  if (cookies) sent['set-cookie'] = cookies.map((cookie) => cookie.replace(/;\s*domain=[^;]*/i, ''))
  const policy = headers['content-security-policy']
  const own = [policy ?? []]
    .flat()
    .join(';')
    .split(';')
    .map((directive) => directive.trim())
    .filter((directive) => directive !== '' && !/^(?:frame-ancestors|sandbox)\b/i.test(directive))
  sent['content-security-policy'] = [...own, `frame-ancestors ${ancestors}`].join('; ')
  // Trestle's page is of another origin.
  sent['cross-origin-resource-policy'] = 'cross-origin'
  return sent
}

/** Whether a response is a page. */
export function isPage(headers: IncomingHttpHeaders): boolean {
  return (
    /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers['content-type'] ?? '') && !headers['content-encoding']
  )
}

/** Path of the script that each page gets. */
export const SCRIPT_PATH = '/__trestle_preview__.js'

/** The page with the script as its first, before any of its own. */
export function withScript(page: string): string {
  const tag = `<script src="${SCRIPT_PATH}"></script>`
  const at = /<head(?:\s[^>]*)?>|<html(?:\s[^>]*)?>|<!doctype[^>]*>/gi
  let end = 0
  for (const found of page.slice(0, MAX_HEAD).matchAll(at)) end = found.index + found[0].length
  return page.slice(0, end) + tag + page.slice(end)
}

/** The head of a page begins before this. */
const MAX_HEAD = 20_000
