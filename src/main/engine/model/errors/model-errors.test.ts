import { describe, expect, it } from 'vitest'
import { CodedError } from '../../../../shared/errors'
import { modelError } from './model-errors'

/** An HTTP error as a package throws it. */
const http = (statusCode: number, body: unknown, headers: Record<string, string> = {}) => ({
  name: 'AI_APICallError',
  message: 'x',
  statusCode,
  responseBody: typeof body === 'string' ? body : JSON.stringify(body),
  responseHeaders: headers,
  url: 'https://models.example/v1/chat/completions',
})

describe('the error of a failure', () => {
  it.each([
    [
      'OpenAI: quota',
      http(429, {
        error: { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' },
      }),
      'model.quota',
    ],
    [
      'Moonshot: quota',
      http(429, { error: { message: 'Your account is suspended', type: 'exceeded_current_quota_error' } }),
      'model.quota',
    ],
    [
      'Anthropic: no credit, with status 400',
      http(400, {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'Your credit balance is too low to access the API' },
      }),
      'model.quota',
    ],
    ['OpenRouter: no credits', http(402, { error: { message: 'Insufficient credits', code: 402 } }), 'model.quota'],
    [
      'Google: per minute, with a time to wait',
      http(429, {
        error: {
          code: 429,
          message: 'You exceeded your current quota. Please retry in 34.4s.',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ retryDelay: '34.4s' }],
        },
      }),
      'model.rate_limited',
    ],
    [
      'Google: per day',
      http(429, {
        error: {
          code: 429,
          message: 'Quota',
          status: 'RESOURCE_EXHAUSTED',
          details: [{ violations: [{ quotaId: 'GenerateRequestsPerDayPerProject' }] }, { retryDelay: '9s' }],
        },
      }),
      'model.quota',
    ],
    [
      'OpenAI: too fast',
      http(429, { error: { message: 'Rate limit reached for gpt-x', type: 'tokens', code: 'rate_limit_exceeded' } }),
      'model.rate_limited',
    ],
    [
      'OpenAI: a request larger than the minute allows is not an overflow',
      http(429, {
        error: { message: 'Request too large: reduce the length of the messages', code: 'rate_limit_exceeded' },
      }),
      'model.rate_limited',
    ],
    [
      'OpenAI: too long',
      http(400, {
        error: { message: "This model's maximum context length is 128000 tokens.", code: 'context_length_exceeded' },
      }),
      'model.context_overflow',
    ],
    [
      'Anthropic: too long',
      http(400, {
        type: 'error',
        error: { type: 'invalid_request_error', message: 'prompt is too long: 210000 tokens > 200000 maximum' },
      }),
      'model.context_overflow',
    ],
    [
      'Google: too long',
      http(400, {
        error: {
          code: 400,
          status: 'INVALID_ARGUMENT',
          message: 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
        },
      }),
      'model.context_overflow',
    ],
    [
      'Moonshot: too long',
      http(400, {
        error: {
          message: 'Invalid request: Your request exceeded model token limit: 131072',
          type: 'invalid_request_error',
        },
      }),
      'model.context_overflow',
    ],
    [
      'llama.cpp: too long',
      http(400, {
        error: {
          code: 400,
          message: 'the request exceeds the available context size, try increasing it',
          type: 'exceed_context_size_error',
        },
      }),
      'model.context_overflow',
    ],
    [
      'Google: bad key, with status 400',
      http(400, {
        error: { code: 400, message: 'API key not valid. Please pass a valid API key.', status: 'INVALID_ARGUMENT' },
      }),
      'model.auth',
    ],
    [
      'Anthropic: bad key',
      http(401, { type: 'error', error: { type: 'authentication_error', message: 'invalid x-api-key' } }),
      'model.auth',
    ],
    [
      'OpenAI: no such model',
      http(404, { error: { message: 'The model `gpt-9` does not exist', code: 'model_not_found' } }),
      'model.not_found',
    ],
    [
      'OpenRouter: no such model, with status 400',
      http(400, { error: { message: 'foo/bar is not a valid model ID', code: 400 } }),
      'model.not_found',
    ],
    [
      'Ollama: no such model',
      http(404, { error: 'model "llama9" not found, try pulling it first' }),
      'model.not_found',
    ],
    [
      'Azure: content filter',
      http(400, { error: { message: 'The response was filtered', code: 'content_filter' } }),
      'model.refused',
    ],
    [
      'Anthropic: overloaded',
      http(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
      'model.overloaded',
    ],
    [
      'a proxy: bad gateway with a page',
      http(502, '<html><head><title>502 Bad Gateway</title></head></html>'),
      'model.server',
    ],
    [
      'a bad schema',
      http(400, { error: { message: "Invalid schema for function 'Read'", type: 'invalid_request_error' } }),
      'model.bad_request',
    ],
    ['in a stream: overloaded', { message: 'Overloaded', type: 'overloaded_error' }, 'model.overloaded'],
    ['in a stream: a status as code', { message: 'Provider returned error', code: 502 }, 'model.server'],
    [
      'in a stream: its model wrote a bad call',
      {
        message: 'Tool call validation failed',
        type: 'invalid_request_error',
        code: 'tool_use_failed',
        status_code: 400,
      },
      'model.incomplete',
    ],
    [
      'in a stream: quota',
      {
        message: 'quota',
        data: {
          type: 'response.failed',
          response: { error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } },
        },
      },
      'model.quota',
    ],
    [
      'a reset',
      Object.assign(new TypeError('terminated'), {
        cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }),
      }),
      'model.connection',
    ],
    [
      'a name that does not exist',
      Object.assign(new TypeError('fetch failed'), {
        cause: Object.assign(new Error('getaddrinfo'), { code: 'ENOTFOUND' }),
      }),
      'model.connection',
    ],
    [
      'both addresses refused',
      Object.assign(new TypeError('fetch failed'), {
        cause: Object.assign(new AggregateError([Object.assign(new Error('a'), { code: 'ECONNREFUSED' })])),
      }),
      'model.connection',
    ],
    [
      'a certificate',
      Object.assign(new TypeError('fetch failed'), {
        cause: Object.assign(new Error('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
      }),
      'model.connection',
    ],
    [
      "Node's own limit",
      Object.assign(new TypeError('terminated'), {
        cause: Object.assign(new Error('Body Timeout Error'), { code: 'UND_ERR_BODY_TIMEOUT' }),
      }),
      'model.timeout',
    ],
    [
      'an invalid base URL',
      Object.assign(new TypeError('Failed to parse URL from nonsense'), {
        cause: Object.assign(new Error('Invalid URL'), { code: 'ERR_INVALID_URL' }),
      }),
      'model.bad_request',
    ],
    ['broken JSON', { name: 'AI_JSONParseError', message: 'x', text: '{"a' }, 'model.incomplete'],
  ])('%s', (_name, error, code) => {
    expect(modelError(error).code).toBe(code)
  })

  it('keeps the provider’s message and the status', () => {
    expect(modelError(http(404, { error: 'model "llama9" not found, try pulling it first' })).message).toBe(
      'model "llama9" not found, try pulling it first (HTTP 404)',
    )
    expect(modelError(http(502, '<html><head><title>502 Bad Gateway</title></head></html>')).message).toContain(
      '502 Bad Gateway',
    )
    expect(modelError(http(422, { detail: [{ msg: 'field required' }] })).message).toContain('field required')
    expect(modelError(http(500, '')).message).not.toBe('')
    expect(
      modelError(http(400, { error: { message: 'Provider returned error', metadata: { raw: 'no endpoints found' } } }))
        .message,
    ).toContain('no endpoints found')
  })

  it('says how long to wait only if waiting helps', () => {
    expect(modelError(http(503, { error: { message: 'busy' } }, { 'Retry-After': '3' })).retryAfterMs).toBe(3000)
    expect(
      modelError(http(429, { error: { type: 'insufficient_quota', message: 'x' } }, { 'retry-after': '3' }))
        .retryAfterMs,
    ).toBeUndefined()
  })

  it('never contains a secret, wherever it was echoed, and keeps no part of the request', () => {
    const error = modelError(http(401, { error: { message: 'Incorrect key: sk-secret-123456 (sk-secret-123456)' } }), [
      'sk-secret-123456',
    ])
    expect(error.message).toBe('Incorrect key: [key] ([key]) (HTTP 401)')
    expect(error.cause).toBeUndefined()
  })

  it('is a coded error unchanged if it already was one', () => {
    const error = new CodedError('model.refused', 'no')
    expect(modelError(error)).toBe(error)
  })
})
