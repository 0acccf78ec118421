import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCache } from '../src/cache.mjs'

test('returns what was set', () => {
  const cache = createCache({ most: 2, ttlMs: 100, now: () => 0 })
  cache.set('a', 1)
  assert.equal(cache.get('a'), 1)
})

test('forgets an entry after its time', () => {
  let time = 0
  const cache = createCache({ most: 2, ttlMs: 100, now: () => time })
  cache.set('a', 1)
  time = 101
  assert.equal(cache.get('a'), undefined)
})
