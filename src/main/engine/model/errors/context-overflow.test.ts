import { expect, it } from 'vitest'
import { parseContextOverflow } from './context-overflow'

it.each([
  ['Anthropic', 'prompt is too long: 140821 tokens > 128000 maximum (HTTP 400)', { input: 140_821, window: 128_000 }],
  [
    'Anthropic, with the answer',
    'input length and `max_tokens` exceed context limit: 190000 + 32000 > 200000, ' +
      'decrease input length or `max_tokens` and try again',
    { input: 190_000, output: 32_000, window: 200_000 },
  ],
  [
    'OpenAI',
    "This model's maximum context length is 128000 tokens. " +
      'However, your messages resulted in 140821 tokens. Please reduce the length of the messages.',
    { input: 140_821, window: 128_000 },
  ],
  [
    'OpenAI and DeepSeek, with the answer',
    "This model's maximum context length is 65536 tokens. " +
      'However, you requested 97000 tokens (65000 in the messages, 32000 in the completion).',
    { input: 65_000, output: 32_000, window: 65_536 },
  ],
  [
    'OpenRouter',
    "This endpoint's maximum context length is 200000 tokens. However, " +
      'you requested about 232000 tokens (180000 of text input, 20000 of tool input, 32000 in the output).',
    { input: 200_000, output: 32_000, window: 200_000 },
  ],
  [
    'Gemini',
    'The input token count (1100000) exceeds the maximum number of tokens allowed (1048576).',
    { input: 1_100_000, window: 1_048_576 },
  ],
  [
    'Gemini, older',
    'The input token count 1100000 exceeds the maximum number of tokens allowed 1048576',
    { input: 1_100_000, window: 1_048_576 },
  ],
  [
    'Moonshot',
    'Invalid request: Your request exceeded model token limit: 131072 (requested: 140821)',
    { input: 140_821, window: 131_072 },
  ],
  [
    'Moonshot, without the count',
    'Invalid request: Your request exceeded model token limit: 262144',
    { window: 262_144 },
  ],
  [
    'xAI',
    "This model's maximum prompt length is 131072 but the request contains 537812 tokens.",
    { input: 537_812, window: 131_072 },
  ],
  [
    'Mistral',
    'Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
    { input: 40_000, window: 32_768 },
  ],
  ['Copilot', 'prompt token count of 140821 exceeds the limit of 128000', { input: 140_821, window: 128_000 }],
  [
    'vLLM',
    'You passed 30000 input tokens and requested 4000 output tokens. ' +
      "However, the model's context length is only 32768 tokens",
    { input: 30_000, output: 4000, window: 32_768 },
  ],
  [
    'SGLang',
    "The input (50000 tokens) is longer than the model's context length (32768 tokens).",
    { input: 50_000, window: 32_768 },
  ],
  [
    'llama.cpp',
    'request (9000 tokens) exceeds the available context size (8192 tokens), try increasing it',
    { input: 9000, window: 8192 },
  ],
  ['llama.cpp, older', 'the request exceeds the available context size (8192 tokens)', { window: 8192 }],
  ['DashScope', 'Range of input length should be [1, 98304]', { window: 98_304 }],
  ['with commas', 'prompt is too long: 140,821 tokens > 128,000 maximum', { input: 140_821, window: 128_000 }],
])('reads the numbers of %s', (_who, words, size) => {
  expect(parseContextOverflow(words)).toEqual(size)
})

it.each([
  'Your input exceeds the context window of this model.',
  'Input is too long for requested model.',
  'context window exceeds limit (code 2013)',
  '',
])('finds no numbers in a message without them: %s', (words) => {
  const size = parseContextOverflow(words)
  expect(size.input).toBeUndefined()
  expect(size.window ?? 0).not.toBe(2013)
})
