import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as api from '../project/src/index.mjs'
import { fill, RECEIPT } from '../project/src/templates.mjs'

test('the public API has the new name only', () => {
  assert.equal(api.formatPrice(1250), '12.50')
  assert.equal('fmt' in api, false)
})
test('what uses it still works', () => {
  assert.equal(api.invoiceLine({ name: 'Tea', cents: 300 }), 'Tea: 3.00')
  assert.equal(api.summary(new Date('2026-01-02'), 5), '2026-01-02 0.05')
})
test('templates that name it work', () => assert.equal(fill(RECEIPT), 'Paid 12.50, thank you.'))
