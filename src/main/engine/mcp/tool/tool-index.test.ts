import { expect, it } from 'vitest'
import { catalogueRequests } from '../../../../../test/support/catalogue-text'
import { readToolCatalogue, serverTool } from '../../../../../test/support/read-tool-catalogue'
import { serverToolId } from '../../tool/tool'
import { createToolIndex, type ToolIndex } from './tool-index'

const ids = (index: ToolIndex, query: string, limit = 5, threshold = 1.5): string[] =>
  index.search(query, { limit, threshold }).map(({ tool }) => serverToolId(tool))

it('finds the right one of four hundred tools by plain words, in the top five at least 95 times out of 100', () => {
  const index = createToolIndex(readToolCatalogue())
  const requests = catalogueRequests()
  expect(requests).toHaveLength(100)
  const missed = requests.filter(({ request, meant }) => !ids(index, request).some((id) => meant.includes(id)))
  expect(missed.map(({ request }) => request).slice(5)).toEqual([])
})

it('finds the right tool by paraphrases at least 96 times out of 100', () => {
  const index = createToolIndex(readToolCatalogue())
  const requests = catalogueRequests('more-requests')
  const missed = requests.filter(({ request, meant }) => !ids(index, request).some((id) => meant.includes(id)))
  expect(missed.map(({ request }) => request).slice(Math.floor(requests.length * 0.04))).toEqual([])
})

it('finds the right tool by requests written without seeing the word lists at least 75 times out of 100', () => {
  const index = createToolIndex(readToolCatalogue())
  const requests = catalogueRequests('unseen-requests')
  const found = requests.filter(({ request, meant }) => ids(index, request).some((id) => meant.includes(id)))
  expect(found.length / requests.length).toBeGreaterThanOrEqual(0.75)
})

it("finds the tool's own term by phrases", () => {
  const index = createToolIndex(readToolCatalogue())
  expect(ids(index, 'give the customer his money back')).toContain('stripe::create_refund')
  expect(ids(index, "don't run it, just check this SQL")).toContain('postgres::validate_sql')
  expect(ids(index, 'put these tickets into the next sprint')).toContain('atlassian::moveIssuesToSprint')
})

it('ranks a named server or product before others with the same function', () => {
  const tools = ['alpha', 'zulu'].flatMap((server) => [
    serverTool(server, 'send_message', 'Send a message'),
    serverTool(server, 'list_channels', 'List channels'),
    serverTool(server, 'add_member', 'Add a member'),
  ])
  const index = createToolIndex(tools)
  expect(ids(index, 'send a message on zulu')[0]).toBe('zulu::send_message')
  expect(ids(index, 'send a message on alpha')[0]).toBe('alpha::send_message')
})

it('finds tools by the topics of well-known products', () => {
  const index = createToolIndex([
    serverTool('twilio', 'CreateMessage', 'Send a message'),
    ...['slack', 'gmail', 'kafka', 'discord', 'zoom', 'teams'].map((server) =>
      serverTool(server, 'send_message', 'Send a message'),
    ),
  ])
  expect(ids(index, 'send an sms')[0]).toBe('twilio::CreateMessage')
})

it('ignores quoted text, addresses and names', () => {
  const index = createToolIndex(readToolCatalogue())
  expect(ids(index, 'write "the database backup failed, open an issue" in #office')).toContain(
    'slack::slack_post_message',
  )
  expect(ids(index, 'send an email to page.table@example.com')).toContain('workspace::gmail_send_email')
})

it('finds names in any notation of the tool and the query', () => {
  const tools = [
    serverTool('a', 'ReadFile', ''),
    serverTool('a', 'listHTMLPages', ''),
    serverTool('a', 'configmap_get', ''),
    serverTool('a', 'delete-web-hook', ''),
    serverTool('a', 'encode_base64', ''),
  ]
  const index = createToolIndex(tools)
  for (const query of ['read file', 'read_file', 'readFile', 'READ FILES', 'reading a file'])
    expect(ids(index, query)[0]).toBe('a::ReadFile')
  for (const query of ['html page', 'listHtmlPages']) expect(ids(index, query)[0]).toBe('a::listHTMLPages')
  expect(ids(index, 'the config map')[0]).toBe('a::configmap_get')
  expect(ids(index, 'delete the webhook')[0]).toBe('a::delete-web-hook')
  expect(ids(index, 'base64')[0]).toBe('a::encode_base64')
})

it('searches descriptions, servers and parameters, not only names', () => {
  const index = createToolIndex([
    serverTool('weatherly', 'one', 'Something else'),
    serverTool('b', 'two', 'Sends a parcel to a friend'),
    serverTool('c', 'three', '', {
      type: 'object',
      properties: { vatNumber: { type: 'string', description: 'Tax identification of the seller' } },
    }),
  ])
  expect(ids(index, 'weatherly')).toEqual(['weatherly::one'])
  expect(ids(index, 'parcel')).toEqual(['b::two'])
  expect(ids(index, 'tax identification')).toEqual(['c::three'])
})

it('finds tools by a word they all contain in a catalog of one or two', () => {
  expect(ids(createToolIndex([serverTool('notes', 'read_note', 'Reads a note')]), 'read a note')).toEqual([
    'notes::read_note',
  ])
  const two = createToolIndex([
    serverTool('notes', 'read_note', 'Reads a note'),
    serverTool('notes', 'delete_note', 'Deletes a note'),
  ])
  expect(ids(two, 'note')).toHaveLength(2)
  expect(ids(two, 'delete note')[0]).toBe('notes::delete_note')
})

it('corrects typos when nothing matches exactly', () => {
  const index = createToolIndex(readToolCatalogue(['stripe']))
  expect(ids(index, 'invocie').join()).toContain('invoice')
})

it('returns nothing for a weak match or no match', () => {
  const index = createToolIndex(readToolCatalogue())
  expect(ids(index, 'xylophone zebra qwertz')).toEqual([])
  expect(ids(index, 'create issue', 5, 1000)).toEqual([])
  expect(ids(index, '')).toEqual([])
  expect(ids(index, '!!!')).toEqual([])
  expect(ids(index, 'create issue', 2)).toHaveLength(2)
})

it('indexes schemas of any shape', () => {
  const odd: Record<string, unknown>[] = [
    {},
    { properties: null },
    { properties: [] },
    { properties: { a: true, b: { description: 7, enum: 'x' } } },
  ]
  const index = createToolIndex(odd.map((schema, n) => serverTool('odd', `tool_${n}`, '', schema)))
  expect(ids(index, 'odd tool', 10)).toHaveLength(4)
})
