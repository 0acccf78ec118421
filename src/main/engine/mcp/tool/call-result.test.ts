import { expect, test } from 'vitest'
import { callResult } from './call-result'

const keep = async (): Promise<string> => '/kept'
const text = (value: string) => ({ type: 'text', text: value })
/** The texts of a response as the model receives them. */
async function told(content: unknown[], structuredContent: unknown): Promise<string[]> {
  const result = await callResult({ content, structuredContent }, { server: 's', tool: 't', keep })
  return result.content.map((part) => (part.type === 'text' ? part.text.trim() : part.type))
}

const row = { id: 1, name: 'a' }
const other = { id: 2, name: 'b' }

test.each<[string, string[], unknown]>([
  ['as its JSON', [JSON.stringify(row)], row],
  ['as its JSON, indented, with other keys first', [JSON.stringify({ name: 'a', id: 1 }, null, 2)], row],
  ['as its JSON, after an introduction', ['One row was found.', JSON.stringify(row)], row],
  ['in pieces', ['{"id":1,', '"name":"a"}'], row],
  ['as a number under one name', ['5'], { result: 5 }],
  ['as a truth under one name', ['true'], { result: true }],
  ['as an object under one name', [JSON.stringify(row)], { result: row }],
  ['as a text under one name', ['plain words'], { result: 'plain words' }],
  ['as a text under one name, with a note beside it', ['plain words', '(cached)'], { result: 'plain words' }],
  ['as a list, each item a text', ['one', 'two'], { result: ['one', 'two'] }],
  ['as a list, each item its JSON', [JSON.stringify(row), JSON.stringify(other)], { result: [row, other] }],
])('sends structured content that the texts repeat only once: %s', async (_name, texts, structured) => {
  expect(await told(texts.map(text), structured)).toEqual(texts)
})

test.each<[string, string[], unknown]>([
  ['there is no text', [], row],
  ['the text says less', ['1 row'], row],
  ['the text says something else', [JSON.stringify(other)], row],
  ['a list has more items than texts', ['one'], { result: ['one', 'two'] }],
  ['another name stands beside it', ['5'], { result: 5, unit: 'm' }],
])('sends structured content when %s', async (_name, texts, structured) => {
  expect(await told(texts.map(text), structured)).toEqual([...texts, JSON.stringify(structured, null, 2)])
})
