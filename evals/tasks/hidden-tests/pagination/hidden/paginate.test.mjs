import assert from 'node:assert/strict'
import { test } from 'node:test'
import { paginate } from '../project/src/paginate.mjs'

const items = ['a', 'b', 'c', 'd', 'e']
test('first page', () => assert.deepEqual(paginate(items, 1, 2), { items: ['a', 'b'], page: 1, pages: 3 }))
test('last page that is not full', () => assert.deepEqual(paginate(items, 3, 2), { items: ['e'], page: 3, pages: 3 }))
test('a page behind the last is the last', () => assert.deepEqual(paginate(items, 9, 2), { items: ['e'], page: 3, pages: 3 }))
test('a page before the first is the first', () => assert.deepEqual(paginate(items, 0, 2), { items: ['a', 'b'], page: 1, pages: 3 }))
test('no items have one empty page', () => assert.deepEqual(paginate([], 1, 2), { items: [], page: 1, pages: 1 }))
