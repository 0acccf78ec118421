import { createHash } from 'node:crypto'
import { readFile, realpath } from 'node:fs/promises'
import { extname, join, sep } from 'node:path'
import type { Appearance } from '../../shared/configuration/appearance'
import { isPagePath } from '../../shared/contract/page-host'

/** A file of the built interface with its response headers. */
export interface PageFile {
  body: Buffer<ArrayBuffer>
  contentType: string
  cacheControl: string
  /** Depends on the content and its compression. */
  etag: string
  /** Set when the body is compressed. */
  encoding?: 'br' | 'gzip'
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.mjs': 'text/javascript; charset=utf-8',
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

/** The compressed variants that the build puts beside a text file, best first (scripts/compressed-assets.ts). */
const COMPRESSED = [
  { encoding: 'br', suffix: '.br' },
  { encoding: 'gzip', suffix: '.gz' },
] as const

/**
 * Reads a file of the built interface by its URL path (`/` and every route of the page is index.html), compressed where
 * `accepts` (an Accept-Encoding header) allows it and the build has such a file. Undefined for anything that is not a
 * regular file of a known type inside the folder, however the path is written: `..`, encoded or not, backslashes, NUL,
 * hidden files, links that lead outside. The `appearance` is inserted into the page, so that the first paint is right.
 */
export async function readPageFile(
  folder: string,
  urlPath: string,
  accepts = '',
  appearance?: () => Appearance,
): Promise<PageFile | undefined> {
  if (isPagePath(urlPath)) return readPageFile(folder, '/', accepts, appearance)
  let path: string
  try {
    path = decodeURIComponent(urlPath)
  } catch {
    return undefined
  }
  const segments = (path.endsWith('/') ? `${path}index.html` : path).split('/').slice(1)
  if (
    !path.startsWith('/') ||
    segments.some((segment) => segment === '' || segment.startsWith('.') || /[\\\0:]/.test(segment))
  )
    return undefined
  const name = segments.join('/')
  const contentType = CONTENT_TYPES[extname(name).toLowerCase()]
  if (contentType === undefined) return undefined
  try {
    const root = await realpath(folder)
    const file = await realpath(join(root, ...segments))
    if (!file.startsWith(root.endsWith(sep) ? root : root + sep)) return undefined
    const isPage = name === 'index.html' && appearance !== undefined
    const compressed = isPage ? undefined : await readCompressed(file, accepts)
    const plain = compressed?.body ?? (await readFile(file))
    const body = isPage ? withAppearance(plain, appearance()) : plain
    return {
      body,
      contentType,
      cacheControl: cacheControlOf(name),
      etag: etagOf(body),
      ...(compressed && { encoding: compressed.encoding }),
    }
  } catch {
    // Missing, unreadable or a folder: the browser gets the same response.
    return undefined
  }
}

/** The page with the appearance as an attribute, for theme-before-paint.js. */
function withAppearance(page: PageFile['body'], appearance: Appearance): PageFile['body'] {
  const written = JSON.stringify(appearance).replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  // A function, because `$` has a special meaning in a replacement string.
  return Buffer.from(page.toString('utf8').replace('<html', () => `<html data-appearance="${written}"`))
}

/** The best compressed variant that the browser accepts and the build has. */
async function readCompressed(
  file: string,
  accepts: string,
): Promise<{ body: PageFile['body']; encoding: 'br' | 'gzip' } | undefined> {
  const accepted = new Set(
    accepts
      .split(',')
      .filter((one) => !/;\s*q=0(?:\.0*)?\s*$/.test(one))
      .map((one) => one.split(';', 1)[0]?.trim().toLowerCase()),
  )
  for (const { encoding, suffix } of COMPRESSED) {
    if (!accepted.has(encoding)) continue
    try {
      return { body: await readFile(`${file}${suffix}`), encoding }
    } catch {
      // Too small to compress, or an image.
    }
  }
  return undefined
}

function etagOf(body: Uint8Array): string {
  return `"${createHash('sha256').update(body).digest('base64url').slice(0, 22)}"`
}

/**
 * Files in `assets/` have a hash of their content in the name; the page itself must always match the running engine.
 */
function cacheControlOf(name: string): string {
  if (name.startsWith('assets/')) return 'public, max-age=31536000, immutable'
  return name === 'index.html' ? 'no-store' : 'no-cache'
}

/**
 * The headers of every response. `connect` names where the page may connect besides its own origin, e.g.
 * `ws://127.0.0.1:8080`. Inline styles are allowed because the primitives (Radix), the highlighter and the terminal
 * (xterm, also when it draws with WebGL) write them; scripts only from our own files; images also from `data:` and
 * `blob:` (pasted ones), never from the network. `frames`: what frames can show; if set, the user can share the tab to
 * take a picture of a frame.
 */
export function pageHeaders(connect = '', frames = ''): Record<string, string> {
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src 'self' data: blob:",
    "font-src 'self'",
    `connect-src 'self'${connect === '' ? '' : ` ${connect}`}`,
    "worker-src 'self'",
    ...(frames === '' ? [] : [`frame-src ${frames}`]),
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
    'permissions-policy':
      'camera=(), microphone=(), geolocation=(), usb=(), serial=(), ' +
      `hid=(), payment=(), display-capture=(${frames === '' ? '' : 'self'})`,
  }
}

/**
 * Where the built interface is: beside the folder of the built main process. Works from an entry and from any of its
 * chunks.
 */
export function rendererFolder(): string {
  const [root] = import.meta.dirname.split(/[\\/]main(?:[\\/](?:chunks|api))?$/)
  return join(root!, 'renderer')
}
