import { describe, expect, it } from 'vitest'
import { baseUrlProblem, suggestProviderId } from './provider-input'

describe('suggestProviderId', () => {
  it.each([
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://api.example.com/v1', 'example'],
    ['http://127.0.0.1:8080/v1', 'local'],
    ['http://[::1]:8080/v1', 'local'],
    ['http://gpu-box:8000/v1', 'gpu-box'],
    ['nonsense', 'provider'],
    ['', 'provider'],
  ])('suggests a valid ID for %s', (url, id) => {
    expect(suggestProviderId('openai-compatible', url, [])).toBe(id)
  })

  it('numbers the ID if it is taken', () => {
    expect(suggestProviderId('anthropic', '', ['anthropic', 'anthropic-2'])).toBe('anthropic-3')
  })
})

describe('baseUrlProblem', () => {
  it('requires a URL for a compatible server', () => {
    expect(baseUrlProblem('openai-compatible', '')).toBeDefined()
    expect(baseUrlProblem('anthropic', '')).toBeUndefined()
  })
  it('accepts only http and https URLs', () => {
    expect(baseUrlProblem('openai-compatible', 'localhost:8080')).toBeDefined()
    expect(baseUrlProblem('openai-compatible', 'file:///etc/passwd')).toBeDefined()
    expect(baseUrlProblem('openai-compatible', 'http://localhost:8080/v1')).toBeUndefined()
  })
})
