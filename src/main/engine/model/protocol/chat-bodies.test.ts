import type { LanguageModelV4Prompt } from '@ai-sdk/provider'
import { expect, it } from 'vitest'
import { ChatBodies } from './chat-bodies'

type Message = LanguageModelV4Prompt[number]

const system = (): Message => ({ role: 'system', content: 'Be brief.' })
const user = (text: string): Message => ({ role: 'user', content: [{ type: 'text', text }] })
const textOf = (message: Message): string =>
  typeof message.content === 'string' ? message.content : (message.content[0] as { text: string }).text

/** The pieces of a request's body; `converted`: the texts of the messages the package was given. */
function begin(bodies: ChatBodies, prompt: LanguageModelV4Prompt) {
  const { prompt: short, complete } = bodies.shorten(prompt, [])
  const converted = short.map((message) => textOf(message))
  const end = (): readonly Uint8Array[] =>
    complete(JSON.stringify(bodies.withMarks({ model: 'm', messages: converted, stream: true })))
  return { converted, end }
}
const messagesIn = (pieces: readonly Uint8Array[]): string[] => {
  const body = JSON.parse(Buffer.concat(pieces).toString()) as { model: string; messages: string[]; stream: boolean }
  expect(body).toMatchObject({ model: 'm', stream: true })
  return body.messages
}

it('each message is converted only once, even if the conversation outgrows a block several times', () => {
  const bodies = new ChatBodies()
  const prompt: LanguageModelV4Prompt = []
  for (let n = 0; n < 60; n++) {
    // One of them is larger than a block.
    prompt.push(user(`${n} ${'ü'.repeat(n === 40 ? 200_000 : 10_000)}`))
    const { converted, end } = begin(bodies, [system(), ...prompt])
    expect(converted).toHaveLength(2)
    expect(messagesIn(end())).toEqual(['Be brief.', ...prompt.map((message) => textOf(message))])
  }
})

it('the bytes of a request stay unchanged while other requests extend or branch its conversation', () => {
  const bodies = new ChatBodies()
  const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((text) => user(text)) as [Message, Message, Message, Message]
  const first = begin(bodies, [system(), a, b]).end()
  const further = begin(bodies, [system(), a, b, c]).end()
  const other = begin(bodies, [system(), a, b, d]).end()
  const shorter = begin(bodies, [system(), a]).end()
  const again = begin(bodies, [a, b, c])
  expect(again.converted).toEqual([])
  expect(messagesIn(again.end())).toEqual(['a', 'b', 'c'])
  expect(messagesIn(first)).toEqual(['Be brief.', 'a', 'b'])
  expect(messagesIn(further)).toEqual(['Be brief.', 'a', 'b', 'c'])
  expect(messagesIn(other)).toEqual(['Be brief.', 'a', 'b', 'd'])
  expect(messagesIn(shorter)).toEqual(['Be brief.', 'a'])
})

it('a branched conversation has the messages of the first one, whichever block they are in', () => {
  const bodies = new ChatBodies()
  const prompt = Array.from({ length: 60 }, (_, n) => user(`${n} ${'x'.repeat(20_000)}`))
  begin(bodies, prompt).end()
  const other = begin(bodies, [...prompt.slice(0, -1), user('other')])
  expect(other.converted).toEqual(['other'])
  expect(messagesIn(other.end())).toEqual([...prompt.slice(0, -1).map((message) => textOf(message)), 'other'])
})

it('a message that occurs twice in a conversation is sent twice', () => {
  const bodies = new ChatBodies()
  const [a, b] = [user('a'), user('b')]
  expect(messagesIn(begin(bodies, [system(), a, b, a]).end())).toEqual(['Be brief.', 'a', 'b', 'a'])
  expect(messagesIn(begin(bodies, [system(), a, b, a, b]).end())).toEqual(['Be brief.', 'a', 'b', 'a', 'b'])
})

it('two concurrent requests both contain every message', () => {
  const bodies = new ChatBodies()
  const prompt = [system(), user('a'), user('b')]
  const [one, two] = [begin(bodies, prompt), begin(bodies, prompt)]
  expect(messagesIn(one.end())).toEqual(['Be brief.', 'a', 'b'])
  expect(messagesIn(two.end())).toEqual(['Be brief.', 'a', 'b'])
})

it('a request without messages, or with only a system prompt, is complete', () => {
  const bodies = new ChatBodies()
  expect(messagesIn(begin(bodies, []).end())).toEqual([])
  expect(messagesIn(begin(bodies, [system()]).end())).toEqual(['Be brief.'])
})

it('the tools are serialized once as long as the request has the same list', () => {
  const bodies = new ChatBodies()
  const tools = [{ name: 'Read', description: 'Reads.', schema: {} }]
  const bodyOf = (list: typeof tools, converted: unknown): { tools: unknown; messages: unknown } => {
    const { complete } = bodies.shorten([user('a')], list)
    const body = bodies.withMarks({ model: 'm', messages: ['a'], tools: converted, stream: true })
    return JSON.parse(Buffer.concat(complete(JSON.stringify(body))).toString())
  }
  const messages = ['a']
  expect(bodyOf(tools, ['Read'])).toEqual({ model: 'm', messages, tools: ['Read'], stream: true })
  expect(bodyOf(tools, ['not looked at'])).toMatchObject({ messages, tools: ['Read'] })
  expect(bodyOf([...tools], ['Read', 'Write'])).toMatchObject({ messages, tools: ['Read', 'Write'] })
})
