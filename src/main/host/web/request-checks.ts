import { createHash, timingSafeEqual } from 'node:crypto'

/** Names of this machine for itself. */
const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Whether a Host header names this machine and our port. A page of another site that points its own name here (DNS rebinding) has its own name in it. */
export function isOurHost(host: string | undefined, port: number): boolean {
  if (host === undefined) return false
  const at = host.lastIndexOf(':')
  const name = (at <= host.lastIndexOf(']') ? host : host.slice(0, at)).toLowerCase()
  const named = at <= host.lastIndexOf(']') ? '80' : host.slice(at + 1)
  return LOOPBACK.has(name) && named === String(port)
}

/** Whether an Origin header is one of our own pages. Browsers always send it with a WebSocket; a program that sends none needs the token all the same. */
export function isOurOrigin(origin: string | undefined, port: number): boolean {
  if (origin === undefined) return true
  return origin.startsWith('http://') && isOurHost(origin.slice('http://'.length), port)
}

/** Compares in a time that says nothing about where the difference is, nor about the length. */
export function isSameToken(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected))
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
