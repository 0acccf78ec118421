import type { ServerResponse } from 'node:http'
import { frameHeaders, type PreviewOrigins } from './preview-headers'
import type { PreviewTarget } from './preview-target'
import { SCRIPT_PATH } from './script-insertion'

interface Place {
  target: PreviewTarget
  origins: PreviewOrigins
}

/** The server could not be reached. */
export function sendUnreachable(response: ServerResponse, { target, origins }: Place): void {
  const text = 'Start the server, or have the agent start it, and reload.'
  sendNote(response, origins, 502, { title: 'No server', heading: `Nothing answers at ${target.origin}`, text })
}

/** Something answered, but nothing that a browser could show. */
export function sendUnreadable(response: ServerResponse, { target, origins }: Place): void {
  sendNote(response, origins, 502, {
    title: 'No page',
    heading: `What answers at ${target.origin} is no web page`,
    text: 'Its answer could not be read as HTTP. Check the port.',
  })
}

/** The server redirects to another one, which the frame cannot show. */
export function sendElsewhere(response: ServerResponse, { target, origins }: Place, href: string): void {
  sendNote(response, origins, 200, {
    title: 'Another site',
    heading: `${target.origin} sends you to another site`,
    text: `A preview shows one server of this machine. Open this address in your browser instead: ${href}`,
  })
}

function sendNote(
  response: ServerResponse,
  origins: PreviewOrigins,
  status: number,
  { title, heading, text }: { title: string; heading: string; text: string },
): void {
  response.writeHead(status, {
    ...frameHeaders(origins),
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
  })
  response.end(`<!doctype html><title>${escaped(title)}</title><style>
body{font:14px/1.5 system-ui;margin:40px;color:#555;overflow-wrap:anywhere}</style>
<script src="${SCRIPT_PATH}"></script><h1 style="font-size:16px">${escaped(heading)}</h1><p>${escaped(text)}</p>`)
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}
