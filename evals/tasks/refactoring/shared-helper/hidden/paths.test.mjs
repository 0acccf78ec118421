import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ordersPath } from '../project/src/orders.mjs'
import { productsPath } from '../project/src/products.mjs'
import { refundsPath } from '../project/src/refunds.mjs'
import { slug } from '../project/src/slug.mjs'

test('orders and refunds as before', () => {
  assert.equal(ordersPath(' Blue Tea! '), '/orders/blue-tea')
  assert.equal(refundsPath('Blue Tea'), '/refunds/blue-tea')
})
test('products keep their underscores', () => assert.equal(productsPath(' Blue Tea! '), '/products/blue_tea'))
test('the shared function makes hyphens unless told otherwise', () => assert.equal(slug('Blue Tea'), 'blue-tea'))
