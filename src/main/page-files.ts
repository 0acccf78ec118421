import { readFile, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'

/** A file of the built interface with everything a browser is told about it. */
export interface PageFile {
  body: Buffer<ArrayBuffer>
  contentType: string
  cacheControl: string
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml; charset=utf-8',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
  '.woff2': 'font/woff2',
  '.woff': 'font/woff',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
}

/**
 * Reads a file of the built interface by its URL path (`/` is index.html). Undefined for anything that is not a plain file of a known type
 * inside the folder, however the path is written: `..`, encoded or not, backslashes, NUL, hidden files, links that lead outside.
 */
export async function readPageFile(folder: string, urlPath: string): Promise<PageFile | undefined> {
  let path: string
  try {
    path = decodeURIComponent(urlPath)
  } catch {
    return undefined
  }
  const segments = (path.endsWith('/') ? `${path}index.html` : path).split('/').slice(1)
  if (!path.startsWith('/') || segments.some((segment) => segment === '' || segment.startsWith('.') || /[\\\0:]/.test(segment)))
    return undefined
  const name = segments.join('/')
  const contentType = CONTENT_TYPES[extname(name).toLowerCase()]
  if (contentType === undefined) return undefined
  try {
    const root = await realpath(folder)
    const file = await realpath(join(root, ...segments))
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined
    return { body: await readFile(file), contentType, cacheControl: cacheControlOf(name) }
  } catch {
    // Not there, not readable, a folder: to a browser that is all the same.
    return undefined
  }
}

/** Files in `assets/` have a hash of their content in the name; the page itself must always be the one that fits the running engine. */
function cacheControlOf(name: string): string {
  if (name.startsWith('assets/')) return 'public, max-age=31536000, immutable'
  return name === 'index.html' ? 'no-store' : 'no-cache'
}

/**
 * The headers of every answer. `connect` names where the page may connect to beside its own origin, e.g. `ws://127.0.0.1:8080`. Inline styles are allowed because the
 * primitives (Radix), the highlighter and the terminal (xterm, also when it draws with WebGL) write them; scripts only from our own files; pictures also from `data:` and `blob:` (pasted ones), never
 * from the network.
 */
export function pageHeaders(connect = ''): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${connect === '' ? '' : ` ${connect}`}`,
    "worker-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'none'",
  ]
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), microphone=(), geolocation=(), usb=(), serial=(), hid=(), payment=(), display-capture=()',
  }
}
