import assert from 'node:assert/strict'
import { test } from 'node:test'
import { withTax } from '../project/src/price.mjs'

test('parts of a cent are rounded up', () => assert.equal(withTax(101, 20), 122))
test('whole cents stay', () => assert.equal(withTax(100, 25), 125))
