import { mkdtemp, mkdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib'
import { afterEach, expect, test } from 'vitest'
import { startWebHost } from '../../src/main/host/web/server/web-host'
import { memoryEngine } from '../support/memory-engine'

const BUILT = join(import.meta.dirname, '..', '..', 'out', 'renderer')
/** The files a browser has to fetch before anything is on screen. */
const MAX_START_BYTES = 200_000
const MAX_STYLE_BYTES = 30_000

const cleanups: (() => unknown)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).toReversed()) await cleanup()
})

async function serve(rendererDir: string): Promise<number> {
  const host = await startWebHost({ engine: memoryEngine(), rendererDir })
  cleanups.push(() => host.close())
  return host.port
}

async function scratch(files: Record<string, string | Buffer>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'trestle-assets-'))
  cleanups.push(() => rm(folder, { recursive: true }))
  await mkdir(join(folder, 'assets'))
  for (const [name, content] of Object.entries(files)) await writeFile(join(folder, name), content)
  return folder
}

function get(port: number, path: string, headers: Record<string, string> = {}, method = 'GET') {
  return new Promise<{ status: number; headers: IncomingHttpHeaders; body: Buffer }>((resolve, reject) => {
    const sent = request({ port, host: '127.0.0.1', path, headers, method }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: Buffer.concat(chunks) }),
      )
    })
    sent.on('error', reject)
    sent.end()
  })
}

/** The scripts a page fetches before it runs: those in index.html and all their static imports. */
async function startScripts(): Promise<string[]> {
  const page = await readFile(join(BUILT, 'index.html'), 'utf8')
  const found = new Set([...page.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)].map(([, name]) => name ?? ''))
  for (const name of found) {
    const code = await readFile(join(BUILT, 'assets', name), 'utf8')
    for (const [, imported = ''] of code.matchAll(/(?:from|import)\s*["']\.\/([^"']+\.js)["']/g)) found.add(imported)
  }
  return [...found]
}

test('the startup bundle is at most 200 kB gzipped, and the styles at most 30 kB', async () => {
  const scripts = await startScripts()
  expect(scripts.length).toBeGreaterThan(0)
  let bytes = 0
  for (const name of scripts) bytes += gzipSync(await readFile(join(BUILT, 'assets', name))).length
  const page = await readFile(join(BUILT, 'index.html'), 'utf8')
  const [, styles = ''] = /href="\/assets\/([^"]+\.css)"/.exec(page) ?? []
  const styleBytes = gzipSync(await readFile(join(BUILT, 'assets', styles))).length
  expect(bytes).toBeLessThanOrEqual(MAX_START_BYTES)
  expect(styleBytes).toBeLessThanOrEqual(MAX_STYLE_BYTES)
})

test('settings, tasks, terminals, the palette, Markdown and the cards are not in the startup bundle', async () => {
  const scripts = await startScripts()
  for (const part of [
    'settings-view',
    'tasks-view',
    'task-terminal',
    'xterm',
    'palette',
    'markdown',
    'core',
    'answer-card',
    'inbox-view',
  ])
    expect(scripts.filter((name) => name.startsWith(`${part}-`))).toEqual([])
})

test('every startup script and style is sent compressed', async () => {
  const port = await serve(BUILT)
  for (const name of await startScripts()) {
    const path = `/assets/${name}`
    // Tiny files are smaller uncompressed.
    if ((await stat(join(BUILT, path))).size < 1024) continue
    const { headers, body } = await get(port, path, { 'accept-encoding': 'gzip, deflate, br, zstd' })
    expect(headers).toMatchObject({
      'content-encoding': 'br',
      vary: 'Accept-Encoding',
      'cache-control': expect.stringContaining('immutable'),
    })
    expect(brotliDecompressSync(body).equals(await readFile(join(BUILT, path)))).toBe(true)
  }
})

test('a browser gets the best encoding it accepts, and the uncompressed file otherwise', async () => {
  const script = 'export const words = "plain"\n'
  const folder = await scratch({
    'index.html': '<!doctype html>',
    'assets/a-1.js': script,
    'assets/a-1.js.gz': gzipSync(script),
    'assets/a-1.js.br': Buffer.from('as brotli'),
    'assets/b-1.js': 'only plain',
  })
  const port = await serve(folder)
  const form = async (accepts: string, name = 'a-1.js') => {
    const { headers, body } = await get(port, `/assets/${name}`, { 'accept-encoding': accepts })
    return [headers['content-encoding'], body.toString('latin1'), Number(headers['content-length']) === body.length]
  }
  expect(await form('gzip, br')).toEqual(['br', 'as brotli', true])
  expect(await form('br;q=0, gzip;q=0.5')).toEqual(['gzip', gzipSync(script).toString('latin1'), true])
  expect(await form('identity')).toEqual([undefined, script, true])
  expect(await form('')).toEqual([undefined, script, true])
  expect(await form('gzip, br', 'b-1.js')).toEqual([undefined, 'only plain', true])
  // They are encodings of a file, not separate files.
  expect(await get(port, '/assets/a-1.js.gz')).toMatchObject({ status: 404 })
})

test('unchanged files are not sent again, and each encoding has its own ETag', async () => {
  const script = 'export {}\n'
  const port = await serve(
    await scratch({ 'index.html': '<!doctype html>', 'assets/a-1.js': script, 'assets/a-1.js.gz': gzipSync(script) }),
  )
  const plain = await get(port, '/assets/a-1.js')
  const packed = await get(port, '/assets/a-1.js', { 'accept-encoding': 'gzip' })
  expect(gunzipSync(packed.body).toString()).toBe(script)
  expect(packed.headers.etag).not.toBe(plain.headers.etag)
  const again = await get(port, '/assets/a-1.js', {
    'accept-encoding': 'gzip',
    'if-none-match': String(packed.headers.etag),
  })
  expect(again).toMatchObject({ status: 304, body: Buffer.alloc(0) })
  const other = await get(port, '/assets/a-1.js', { 'if-none-match': String(packed.headers.etag) })
  expect(other.status).toBe(200)
  const head = await get(port, '/assets/a-1.js', { 'accept-encoding': 'gzip' }, 'HEAD')
  expect(head.headers).toMatchObject({ 'content-encoding': 'gzip', 'content-length': String(gzipSync(script).length) })
})

test('a reload or link at any route of the page opens the page; other paths are not found', async () => {
  const port = await serve(await scratch({ 'index.html': '<!doctype html><title>Trestle</title>' }))
  for (const path of [
    '/s/session-01',
    '/settings',
    '/settings/mcp/my%20server',
    '/tasks/bash-3',
    '/inbox',
    '/new?folder=%2Fcode',
  ])
    expect(await get(port, path)).toMatchObject({
      status: 200,
      headers: { 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' },
    })
  for (const path of ['/s/', '/s/a/b/c', '/elsewhere', '/settings.js', '/s/../index.html'])
    expect((await get(port, path)).status).toBe(404)
})
