import { describe, expect, it } from 'vitest'
import { baseUrlProblem, suggestProviderId } from './provider-types'

describe('suggestProviderId', () => {
  it.each([
    ['https://openrouter.ai/api/v1', 'openrouter'],
    ['https://api.example.com/v1', 'example'],
    ['http://127.0.0.1:8080/v1', 'local'],
    ['http://[::1]:8080/v1', 'local'],
    ['http://gpu-box:8000/v1', 'gpu-box'],
    ['nonsense', 'provider'],
    ['', 'provider'],
  ])('would catch %s getting a name that the configuration refuses', (url, id) => {
    expect(suggestProviderId('openai-compatible', url, [])).toBe(id)
  })

  it('would catch a new provider taking the place of one that exists', () => {
    expect(suggestProviderId('anthropic', '', ['anthropic', 'anthropic-2'])).toBe('anthropic-3')
  })
})

describe('baseUrlProblem', () => {
  it('would catch a compatible server without an address', () => {
    expect(baseUrlProblem('openai-compatible', '')).toBeDefined()
    expect(baseUrlProblem('anthropic', '')).toBeUndefined()
  })
  it('would catch addresses that are no web addresses', () => {
    expect(baseUrlProblem('openai-compatible', 'localhost:8080')).toBeDefined()
    expect(baseUrlProblem('openai-compatible', 'file:///etc/passwd')).toBeDefined()
    expect(baseUrlProblem('openai-compatible', 'http://localhost:8080/v1')).toBeUndefined()
  })
})
