import assert from 'node:assert/strict'
import { test } from 'node:test'
import { billingDay } from '../src/next-billing.mjs'

test('a month later', () => assert.equal(billingDay('2026-03-15', 1), '2026-04-15'))
test('February has no 31st', () => assert.equal(billingDay('2026-01-31', 1), '2026-02-28'))
