import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { completable } from '@modelcontextprotocol/sdk/server/completable.js'
import { McpServer, ResourceTemplate } from '@modelcontextprotocol/sdk/server/mcp.js'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { UserPart } from '../../../../shared/model/turn/message'
import { attach, mayMention, mentionsIn } from './attach'
import { type ContentServer, readPrompts, readResources, readTemplates } from './content-server'
import { findResources, variableAt } from './mcp-content'

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
const user = (text: string): UserPart[] => [{ type: 'text', text }]

const cleanups: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup()
})

/** A real server with prompts, resources and templates, as a session sees it. */
async function shop(name = 'shop'): Promise<ContentServer & { connects: () => number }> {
  const server = new McpServer({ name, version: '1' })
  server.registerPrompt(
    'greet me',
    {
      description: 'Greets',
      argsSchema: {
        who: completable(z.string(), (value) => ['Ann', 'Bob'].filter((one) => one.startsWith(value))),
        how: z.string().optional(),
      },
    },
    ({ who, how = 'warmly' }) => ({
      messages: [
        { role: 'user', content: { type: 'text', text: `Greet ${who} ${how}.` } },
        { role: 'assistant', content: { type: 'text', text: 'Hello.' } },
        { role: 'user', content: { type: 'image', data: PIXEL, mimeType: 'image/png' } },
        { role: 'user', content: { type: 'resource', resource: { uri: 'note://in', text: 'embedded' } } },
      ],
    }),
  )
  server.registerResource('terms', 'note://terms', { mimeType: 'text/plain' }, async (uri) => ({
    contents: [{ uri: uri.href, text: 'Be kind.' }],
  }))
  server.registerResource('long', 'note://long', {}, async (uri) => ({
    contents: [{ uri: uri.href, text: 'x'.repeat(300_000) }],
  }))
  server.registerResource('logo', 'note://logo', {}, async (uri) => ({
    contents: [
      { uri: uri.href, blob: PIXEL, mimeType: 'image/png' },
      { uri: uri.href, blob: 'AAAA', mimeType: 'application/zip' },
      { uri: uri.href, blob: Buffer.from('{"ü":1}').toString('base64'), mimeType: 'application/ld+json' },
      { uri: uri.href, blob: '/w==', mimeType: 'text/plain' },
    ],
  }))
  const template = new ResourceTemplate('order://{year}/{id}', {
    list: undefined,
    complete: {
      id: (value, context) =>
        context?.arguments?.['year'] === '2026' ? ['17', '18'].filter((one) => one.startsWith(value)) : [],
    },
  })
  server.registerResource('order', template, {}, async (uri) => ({
    contents: [{ uri: uri.href, text: `Order ${uri.href}` }],
  }))
  const client = new Client({ name: 'trestle', version: '0' })
  const [ours, theirs] = InMemoryTransport.createLinkedPair()
  await Promise.all([server.connect(theirs), client.connect(ours)])
  cleanups.push(async () => {
    await client.close()
    await server.close()
  })
  const request = (method: string, params: Record<string, unknown>) =>
    client.request({ method, params }, z.record(z.string(), z.unknown()))
  const offer = {
    prompts: readPrompts((await request('prompts/list', {}))['prompts'] as unknown[]),
    resources: readResources((await request('resources/list', {}))['resources'] as unknown[]),
    templates: readTemplates((await request('resources/templates/list', {}))['resourceTemplates'] as unknown[]),
  }
  let connects = 0
  return {
    name,
    known: () => offer,
    offer: async () => offer,
    use: (run) => {
      connects += 1
      return run({ capabilities: client.getServerCapabilities() ?? {}, request, watchResource: async () => undefined })
    },
    connects: () => connects,
  }
}

const texts = (parts: readonly UserPart[]) => parts.map((part) => (part.type === 'text' ? part.text : part.mediaType))

describe("a server's prompt", () => {
  it("keeps every message and picture, and the user's text", async () => {
    const parts = await attach([await shop('my shop')], user('/mcp:my_shop:greet_me Ann how="very coldly"'))
    expect(texts(parts)).toEqual([
      '/mcp:my_shop:greet_me Ann how="very coldly"',
      '<prompt server="my shop" name="greet me">\nGreet Ann very coldly.\n[as if you had said:]\nHello.',
      'image/png',
      '\nembedded\n</prompt>',
    ])
    expect(parts.slice(1).every((part) => part.attached?.name === 'greet me')).toBe(true)
  })

  it.each([
    ['/mcp:shop:greet_me', 'needs who. Write it behind the command, e.g. who="…"'],
    ['/mcp:shop:greet_me Ann coldly again', 'does not take “again”'],
    ['/mcp:shop:unknown', 'the server shop has no such prompt'],
    ['/mcp:unknown:greet_me', 'there is no MCP server of this name'],
  ])('is refused when it cannot work: %s', async (text, why) => {
    await expect(attach([await shop()], user(text))).rejects.toMatchObject({
      code: 'mcp.not_attached',
      message: expect.stringContaining(why),
    })
  })
})

describe('a mention of a resource', () => {
  it('is distinguished from files, mail addresses and the punctuation of a sentence', async () => {
    const text = 'See @shop:note://terms. Not @src/x.ts:3, @other:note://a, me@shop:note://b; but @shop:note://terms'
    expect(mentionsIn(text, ['shop'])).toEqual([
      { server: 'shop', uri: 'note://terms.' },
      { server: 'shop', uri: 'note://terms' },
    ])
    expect(mentionsIn('@"shop:order://2026/1 7"', ['shop'])).toEqual([{ server: 'shop', uri: 'order://2026/1 7' }])
    expect(mayMention(user('mail me@example.com and read @src/x.ts'))).toBe(false)
    expect(
      mayMention([
        { type: 'text', text: '@shop:note://terms', attached: { kind: 'resource', server: 's', name: 'n' } },
      ]),
    ).toBe(false)
    const server = await shop()
    const parts = await attach([server], user('Read @shop:note://terms. (@shop:note://terms)'))
    expect(texts(parts)).toEqual([
      'Read @shop:note://terms. (@shop:note://terms)',
      '<resource server="shop" uri="note://terms">\nBe kind.\n</resource>',
    ])
    expect(parts[1]).toMatchObject({ attached: { kind: 'resource', server: 'shop', name: 'note://terms' } })
  })

  it('is cut to the limit, and describes what a model cannot read', async () => {
    const [, long, ...rest] = texts(await attach([await shop()], user('@shop:note://long @shop:note://logo')))
    expect(long!.length).toBeLessThan(201_000)
    expect(long).toMatch(/cut here: 100000 more characters/)
    expect(rest).toEqual([
      '<resource server="shop" uri="note://logo">',
      'image/png',
      expect.stringMatching(
        /application\/zip, 3 bytes; it cannot be shown to a model\]\n\{"ü":1\}\n\[.*text\/plain, 1 bytes; it cannot be shown to a model\]\n<\/resource>$/,
      ),
    ])
  })

  it('is refused when the resource cannot be read', async () => {
    await expect(attach([await shop()], user('@shop:note://gone'))).rejects.toMatchObject({
      code: 'mcp.answer',
      message: expect.stringMatching(/^The server shop answered: .*note:\/\/gone not found/),
    })
  })
})

describe('what the composer offers behind an @', () => {
  it('uses known resources without asking servers, and completes template values', async () => {
    const server = await shop()
    const uris = async (query: string) =>
      (await findResources([server, await shop('other')], query, 50)).map((one) => `${one.server} ${one.uri}`)
    expect(await uris('logo')).toEqual(['shop note://logo', 'other note://logo'])
    expect(await uris('shop')).toEqual(['shop note://terms', 'shop note://long', 'shop note://logo'])
    expect(server.connects()).toBe(0)
    expect(await uris('shop:ter')).toEqual(['shop note://terms'])
    expect(await uris('shop:order://2026/1')).toEqual(['shop order://2026/17', 'shop order://2026/18'])
    expect(await uris('shop:order://2025/9')).toEqual(['shop order://2025/9'])
    expect(await uris('shop:ord')).toEqual(['shop order://'])
    expect(await uris('shop:order://20')).toEqual(['shop order://20/'])
  })

  it.each([
    ['a://{x}', 'a', { head: 'a://', variable: 'x', value: '', tail: '', given: {} }],
    ['a://{x}/b/{y}', 'a://1/b/2', { head: 'a://1/b/', variable: 'y', value: '2', tail: '', given: { x: '1' } }],
    ['a://{x}/b', 'a://1', { head: 'a://', variable: 'x', value: '1', tail: '/b', given: {} }],
    ['a://{x}', 'b', undefined],
    ['a://{?x,y}', 'a://', undefined],
    ['a://b', 'a://', undefined],
  ])('puts a value in the right place: %s %s', (template, wanted, found) => {
    expect(variableAt(template, wanted)).toEqual(found)
  })
})

it('drops list entries that break a message or hide something', () => {
  expect(
    readPrompts([
      null,
      {},
      { name: 'a\nb' },
      { name: 'ok', description: 'Say\u202e hi', arguments: [{ name: 'x', required: true }, 7] },
      { name: 'ok' },
    ]),
  ).toEqual([{ name: 'ok', description: 'Say hi', arguments: [{ name: 'x', required: true }] }])
  expect(readResources([{ uri: 'a://\u200bb', name: 'x' }, { uri: 'a://b' }, { name: 'no address' }])).toEqual([
    { uri: 'a://b', name: 'a://b' },
  ])
})
