import { expect, it } from 'vitest'
import { catalogueRequests } from '../../../../../test/support/catalogue-text'
import { readToolCatalogue, serverTool } from '../../../../../test/support/read-tool-catalogue'
import { serverToolId } from '../../tool/server-tool'
import { createToolIndex, type ToolIndex } from './tool-index'

const ids = (index: ToolIndex, query: string, limit = 5, threshold = 1.5): string[] =>
  index.search(query, { limit, threshold }).map(({ tool }) => serverToolId(tool))

it('plain words find the tool that is meant among the first five of four hundred, at least 95 times of 100', () => {
  const index = createToolIndex(readToolCatalogue())
  const requests = catalogueRequests()
  expect(requests).toHaveLength(100)
  const missed = requests.filter(({ request, meant }) => !ids(index, request).some((id) => meant.includes(id)))
  expect(missed.map(({ request }) => request).slice(5)).toEqual([])
})

it('names are found however their words are written, and however the query writes them', () => {
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

it('descriptions, servers and what is said of parameters are searched, not names alone', () => {
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

it('in a catalogue of one or two tools a word in all of them still finds them', () => {
  expect(ids(createToolIndex([serverTool('notes', 'read_note', 'Reads a note')]), 'read a note')).toEqual(['notes::read_note'])
  const two = createToolIndex([serverTool('notes', 'read_note', 'Reads a note'), serverTool('notes', 'delete_note', 'Deletes a note')])
  expect(ids(two, 'note')).toHaveLength(2)
  expect(ids(two, 'delete note')[0]).toBe('notes::delete_note')
})

it('a slip of the keys is forgiven where nothing matches as it is written', () => {
  const index = createToolIndex(readToolCatalogue(['stripe']))
  expect(ids(index, 'invocie').join()).toContain('invoice')
})

it('what matches nothing, or not enough, is not offered', () => {
  const index = createToolIndex(readToolCatalogue())
  expect(ids(index, 'xylophone zebra qwertz')).toEqual([])
  expect(ids(index, 'create issue', 5, 1000)).toEqual([])
  expect(ids(index, '')).toEqual([])
  expect(ids(index, '!!!')).toEqual([])
  expect(ids(index, 'create issue', 2)).toHaveLength(2)
})

it('a schema of any shape is indexed without harm', () => {
  const odd: Record<string, unknown>[] = [
    {},
    { properties: null },
    { properties: [] },
    { properties: { a: true, b: { description: 7, enum: 'x' } } },
  ]
  const index = createToolIndex(odd.map((schema, n) => serverTool('odd', `tool_${n}`, '', schema)))
  expect(ids(index, 'odd tool', 10)).toHaveLength(4)
})
