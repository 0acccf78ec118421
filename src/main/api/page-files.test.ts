import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { tempFolder } from '../../../test/support/temp-folder'
import { pageHeaders, readPageFile } from './page-files'

async function built(): Promise<string> {
  const root = await tempFolder()
  const folder = join(root, 'renderer')
  mkdirSync(join(folder, 'assets'), { recursive: true })
  mkdirSync(join(folder, '.hidden'))
  for (const [name, text] of Object.entries({
    'renderer/index.html': '<!doctype html>\n<html lang="en">',
    'renderer/assets/a-1.js': 'plain',
    'renderer/assets/a-1.js.br': 'brotli',
    'renderer/assets/a-1.js.gz': 'gzip',
    'renderer/assets/b.css': 'css',
    'renderer/.hidden/x.js': 'hidden',
    'renderer/notes.md': 'of no known type',
    'secret.txt': 'secret',
  }))
    writeFileSync(join(root, name), text)
  symlinkSync(join(root, 'secret.txt'), join(folder, 'link.txt'))
  return folder
}
const textOf = async (folder: string, path: string, accepts = ''): Promise<string | undefined> =>
  (await readPageFile(folder, path, accepts))?.body.toString()

describe('a file of the built interface', () => {
  test('serves the page for every route', async () => {
    const folder = await built()
    for (const path of ['/', '/s/session-1', '/settings/models/x', '/new']) {
      const file = await readPageFile(folder, path)
      expect(file).toMatchObject({ contentType: 'text/html; charset=utf-8', cacheControl: 'no-store' })
    }
  })

  test.each([
    '/../secret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..\\secret.txt',
    '/%5c..%5csecret.txt',
    '//secret.txt',
    '/link.txt',
    '/.hidden/x.js',
    '/%2ehidden/x.js',
    '/notes.md',
    '/assets',
    '/assets/',
    '/index.html%00.js',
    '/C:/x.js',
    '/%',
    'index.html',
    '',
  ])('is not read at %j', async (path) => expect(await textOf(await built(), path)).toBeUndefined())

  test('lets browsers cache a file only if its name changes with its content', async () => {
    const folder = await built()
    expect((await readPageFile(folder, '/assets/a-1.js'))!.cacheControl).toContain('immutable')
    const [a, b] = [await readPageFile(folder, '/assets/a-1.js'), await readPageFile(folder, '/assets/a-1.js', 'br')]
    expect(a!.etag).not.toBe(b!.etag)
  })

  test.each([
    ['br, gzip', 'brotli'],
    ['gzip;q=0.8, BR;q=1.0', 'brotli'],
    ['gzip', 'gzip'],
    ['br;q=0, gzip', 'gzip'],
    ['br; q=0.000', 'plain'],
    ['identity', 'plain'],
    ['', 'plain'],
  ])('is compressed for a browser that accepts %j as %s', async (accepts, text) => {
    expect(await textOf(await built(), '/assets/a-1.js', accepts)).toBe(text)
  })

  test('is sent uncompressed if the build has no compressed variant', async () => {
    expect(await readPageFile(await built(), '/assets/b.css', 'br, gzip')).not.toHaveProperty('encoding')
  })

  test('inserts the appearance into the page and escapes markup in it', async () => {
    const appearance = { theme: '"><script>$&</script>' } as never
    const page = (await readPageFile(await built(), '/', 'br', () => appearance))!.body.toString()
    expect(page).not.toContain('<script>')
    expect(page).toContain('data-appearance="{&quot;theme&quot;:&quot;\\&quot;>&lt;script>$&amp;&lt;/script>')
  })
})

test('the headers of the page allow only the listed scripts, frames and addresses', () => {
  const policy = pageHeaders('ws://127.0.0.1:1')['content-security-policy']!
  expect(policy).toContain("script-src 'self';")
  expect(policy).toContain("connect-src 'self' ws://127.0.0.1:1;")
  expect(policy).not.toContain('frame-src')
  expect(pageHeaders('', 'http://127.0.0.1:2')['content-security-policy']).toContain('frame-src http://127.0.0.1:2;')
  expect(pageHeaders()['permissions-policy']).toContain('display-capture=()')
})
