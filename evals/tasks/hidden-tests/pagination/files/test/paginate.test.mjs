import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paginate } from '../src/paginate.mjs'

test('the first page begins with the first item', () => {
  assert.deepEqual(paginate(['a', 'b', 'c', 'd'], 1, 2).items, ['a', 'b'])
})
