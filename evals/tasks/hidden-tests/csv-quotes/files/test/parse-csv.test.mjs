import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseCsv } from '../src/parse-csv.mjs'

test('plain fields', () => {
  assert.deepEqual(parseCsv('a,b\n1,2\n'), [
    ['a', 'b'],
    ['1', '2'],
  ])
})
