import assert from 'node:assert/strict'
import { test } from 'node:test'
import { billingDay, billingDays } from '../project/src/next-billing.mjs'

test('a month later', () => assert.equal(billingDay('2026-03-15', 1), '2026-04-15'))
test('February has no 31st', () => assert.equal(billingDay('2026-01-31', 1), '2026-02-28'))
test('a leap year', () => assert.equal(billingDay('2028-01-31', 1), '2028-02-29'))
test('over the end of the year', () => assert.equal(billingDay('2026-12-31', 2), '2027-02-28'))
test('the day they began comes back after a short month', () =>
  assert.deepEqual(billingDays('2026-01-31', 4), ['2026-01-31', '2026-02-28', '2026-03-31', '2026-04-30']))
