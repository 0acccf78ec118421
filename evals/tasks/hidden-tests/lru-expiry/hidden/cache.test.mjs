import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCache } from '../project/src/cache.mjs'

test('forgets an entry after its time', () => {
  let time = 0
  const cache = createCache({ most: 2, ttlMs: 100, now: () => time })
  cache.set('a', 1)
  time = 101
  assert.equal(cache.get('a'), undefined)
  assert.equal(cache.size, 0)
})
test('reading does not prolong the time of an entry', () => {
  let time = 0
  const cache = createCache({ most: 2, ttlMs: 100, now: () => time })
  cache.set('a', 1)
  time = 90
  assert.equal(cache.get('a'), 1)
  time = 120
  assert.equal(cache.get('a'), undefined)
})
test('what was read last is kept longest', () => {
  const cache = createCache({ most: 2, ttlMs: 100, now: () => 0 })
  cache.set('a', 1)
  cache.set('b', 2)
  cache.get('a')
  cache.set('c', 3)
  assert.deepEqual([cache.get('a'), cache.get('b'), cache.get('c')], [1, undefined, 3])
})
test('setting again counts as use', () => {
  const cache = createCache({ most: 2, ttlMs: 100, now: () => 0 })
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 3)
  cache.set('c', 4)
  assert.deepEqual([cache.get('a'), cache.get('b')], [3, undefined])
})
