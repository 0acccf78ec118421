import { expect, test } from 'vitest'
import { callTool } from '../../../../../test/support/call-tool'
import { makePdf } from '../../../../../test/support/pdf'
import { serveWeb } from '../../../../../test/support/web-server'
import { readArticle, type WebAccess } from '../../web/web-access'
import { fetchUrlTool } from './fetch-url'

const web: WebAccess = {
  allowedHosts: () => ['127.0.0.1'],
  search: () => undefined,
  refusal: async () => undefined,
  readArticle,
}
const tool = fetchUrlTool({ web })

const ARTICLE = `<!doctype html><html><head><meta charset="utf-8"><title>Bridges</title><script>evil()</script></head><body><nav><a href="/x">Menu entry</a></nav>
<article><h1>Bridges</h1><p>${'A trestle carries a railway over a valley. '.repeat(30)}</p><p>See <a href="/more">more</a>.</p><pre><code>let a = 1</code></pre></article>
<footer>Imprint and cookies</footer></body></html>`

test('reduces a page to its article, with complete links', async () => {
  const { origin } = await serveWeb((_, response) => response.setHeader('content-type', 'text/html').end(ARTICLE))
  const { text, isError, details } = await callTool(tool, { url: origin })
  expect(isError).toBeFalsy()
  expect(text).toMatch(/^Title: Bridges\nContent: extracted/)
  expect(text).toContain('A trestle carries a railway')
  expect(text).toContain(`[more](${origin}/more)`)
  expect(text).not.toMatch(/Menu entry|Imprint|evil/)
  expect(details).toMatchObject({ kind: 'page', extracted: true, title: 'Bridges' })
})

test('returns Markdown, text and JSON unchanged', async () => {
  const { origin } = await serveWeb(({ url }, response) =>
    response
      .setHeader('content-type', url === '/j' ? 'application/json' : 'text/markdown; charset=utf-8')
      .end(url === '/j' ? '{"a":1}' : '# Hi <b>'),
  )
  expect((await callTool(tool, { url: `${origin}/m` })).text).toBe('Content: passthrough\n\n# Hi <b>')
  expect((await callTool(tool, { url: `${origin}/j` })).text).toContain('{"a":1}')
})

test('decodes encodings other than UTF-8 as declared by the server or the page', async () => {
  const latin = Buffer.from('Stra\xdfe', 'latin1')
  const { origin } = await serveWeb(({ url }, response) => {
    if (url === '/header') response.setHeader('content-type', 'text/plain; charset=iso-8859-1').end(latin)
    else if (url === '/bom')
      response
        .setHeader('content-type', 'text/plain')
        .end(Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from('Straße', 'utf16le')]))
    else
      response
        .setHeader('content-type', 'text/html')
        .end(Buffer.concat([Buffer.from('<meta charset="windows-1252"><p>'), latin, Buffer.from('</p>')]))
  })
  for (const path of ['header', 'bom', 'meta'])
    expect((await callTool(tool, { url: `${origin}/${path}` })).text).toContain('Straße')
})

test('reports failures with what happened and what to do', async () => {
  const { origin, port } = await serveWeb(({ url }, response) => {
    if (url === '/gone') response.writeHead(404, { 'content-type': 'text/html' }).end('<p>no such page</p>')
    else if (url === '/zip') response.setHeader('content-type', 'application/zip').end('PK')
    else response.writeHead(204).end()
  })
  const gone = await callTool(tool, { url: `${origin}/gone` })
  expect(gone.isError).toBe(true)
  expect(gone.text).toMatch(/answered 404.*\nno such page/s)
  expect((await callTool(tool, { url: `${origin}/zip` })).text).toContain('application/zip')
  expect((await callTool(tool, { url: `${origin}/empty` })).text).toContain('[The page is empty.]')
  const closed = fetchUrlTool({ web: { ...web, allowedHosts: () => [] } })
  expect((await callTool(closed, { url: `http://127.0.0.1:${port}/` })).text).toContain('allowed_hosts')
})

test('returns at least the words of a page that defeats the extraction', async () => {
  const crashing: WebAccess = { ...web, readArticle: async () => undefined }
  const { origin } = await serveWeb((_, response) =>
    response.setHeader('content-type', 'text/html').end('<style>p{}</style><p>words &amp; more</p>'),
  )
  const { text, isError } = await callTool(fetchUrlTool({ web: crashing }), { url: origin })
  expect(isError).toBeFalsy()
  expect(text).toContain('words & more')
})

test('gives up on a page that takes too long to process', async () => {
  const page = { html: '<p>word</p>'.repeat(200_000), url: 'http://example.org' }
  expect(await readArticle(page, new AbortController().signal, 50)).toBeUndefined()
})

test('returns a PDF as a document with its text, no matter what type the server declares', async () => {
  const pdf = makePdf(['Tariffs'])
  const { origin } = await serveWeb(({ url }, response) =>
    response.setHeader('content-type', url === '/a.pdf' ? 'application/pdf' : 'application/octet-stream').end(pdf),
  )
  for (const path of ['/a.pdf', '/download']) {
    const { content, isError } = await callTool(tool, { url: origin + path })
    expect(isError).toBeFalsy()
    expect(content).toMatchObject([
      { type: 'text', text: 'Content: passthrough; PDF document, 1 page' },
      {
        type: 'media',
        mediaType: 'application/pdf',
        name: path === '/a.pdf' ? 'a.pdf' : 'document.pdf',
        text: '[Page 1 of 1]\nTariffs',
        pages: 1,
      },
    ])
  }
})
