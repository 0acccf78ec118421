import { Transform, type TransformCallback } from 'node:stream'

/** Path of the script that is inserted into each page. */
export const SCRIPT_PATH = '/__trestle_preview__.js'

const TAG = Buffer.from(`<script src="${SCRIPT_PATH}"></script>`)
/** The head of a page must start within this many bytes. */
const MAX_HEAD = 20_000
const UTF8_MARK = '\u00EF\u00BB\u00BF'
const ATTRIBUTES = String.raw`(?:\s(?:[^>"']|"[^"]*"|'[^']*')*)?`
/** Everything before the content of a page. */
const START = new RegExp(String.raw`\s+|<!--[^]*?-->|<!doctype[^>]*>|<\?[^>]*>|<(?:html|head)${ATTRIBUTES}>`, 'iy')

/** Inserts the script into a page, before any of its own scripts. The rest passes through unchanged. */
export class ScriptInsertion extends Transform {
  /** The start of the page, until the insertion point is known. */
  #head: Buffer | undefined = Buffer.alloc(0)

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (!this.#head) return done(null, chunk)
    this.#head = Buffer.concat([this.#head, chunk])
    if (!this.#insert(this.#head.length >= MAX_HEAD)) return done()
    this.#head = undefined
    done()
  }

  override _flush(done: TransformCallback): void {
    if (this.#head) this.#insert(true)
    done()
  }

  #insert(isAll: boolean): boolean {
    const head = this.#head!
    const at = placeOf(head, isAll)
    if (at === undefined) return false
    if (at === 'nowhere') this.push(head)
    else for (const part of [head.subarray(0, at), TAG, head.subarray(at)]) this.push(part)
    return true
  }
}

/** The page with the script. */
export function withScript(page: Buffer): Buffer {
  const at = placeOf(page, true)
  return typeof at === 'number' ? Buffer.concat([page.subarray(0, at), TAG, page.subarray(at)]) : page
}

/**
 * Where the script goes: after `<head>`, or before the first element that cannot precede a head. Undefined if more
 * bytes are needed; `isAll`: there are no more. Tags are ASCII in every encoding except UTF-16, which stays unchanged.
 */
function placeOf(page: Buffer, isAll: boolean): number | 'nowhere' | undefined {
  const text = page.toString('latin1', 0, MAX_HEAD)
  if (/^(?:\u00FE\u00FF|\u00FF\u00FE)/.test(text)) return 'nowhere'
  let at = text.startsWith(UTF8_MARK) ? UTF8_MARK.length : 0
  let place = at
  for (;;) {
    START.lastIndex = at
    const found = START.exec(text)?.[0]
    if (found === undefined) break
    at += found.length
    if (found.startsWith('<!--') || found.trim() === '') continue
    place = at
    if (/^<head/i.test(found)) return at
  }
  const rest = text.slice(at)
  // A tag or comment that has not been read completely.
  const isCut = rest === '' || /^<[^>]*$/.test(rest) || (rest.startsWith('<!--') && !rest.includes('-->')) || at < 3
  return isCut && !isAll ? undefined : place
}
