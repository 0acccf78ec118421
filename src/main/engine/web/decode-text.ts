/** How much of a page may come before it says its encoding; the HTML standard looks at as much. */
const META_BYTES = 1024

/** The text of a body: by its byte order mark, else by what the server says, else by what an HTML page says of itself, else UTF-8. */
export function decodeText(body: Buffer, contentType: string): string {
  const named = bomOf(body) ?? /charset\s*=\s*["']?([^\s;"']+)/i.exec(contentType)?.[1] ?? metaCharset(body, contentType) ?? 'utf-8'
  return decoderFor(named).decode(body)
}

function decoderFor(name: string) {
  try {
    return new TextDecoder(name)
  } catch {
    return new TextDecoder('utf-8')
  }
}

function bomOf(body: Buffer): string | undefined {
  if (body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf) return 'utf-8'
  if (body[0] === 0xff && body[1] === 0xfe) return 'utf-16le'
  if (body[0] === 0xfe && body[1] === 0xff) return 'utf-16be'
  return undefined
}

function metaCharset(body: Buffer, contentType: string): string | undefined {
  if (!/html|xml/i.test(contentType)) return undefined
  const start = body.subarray(0, META_BYTES).toString('latin1')
  return /<meta[^>]+charset\s*=\s*["']?([^\s"'/>;]+)/i.exec(start)?.[1] ?? /<\?xml[^>]+encoding\s*=\s*["']([^"']+)/i.exec(start)?.[1]
}
