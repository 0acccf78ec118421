import assert from 'node:assert/strict'
import { test } from 'node:test'
import { diskFull, nightly } from '../project/src/alerts.mjs'
import { broadcast, maintenance } from '../project/src/broadcast.mjs'
import { send } from '../project/src/send.mjs'
import { welcome } from '../project/src/welcome.mjs'

const message = (to, text, urgent, quiet) => ({ to, text, urgent, quiet })
test('send takes an object of options', () => {
  assert.deepEqual(send('a', 'x'), message('a', 'x', false, false))
  assert.deepEqual(send('a', 'x', { quiet: true }), message('a', 'x', false, true))
})
test('alerts', () => {
  assert.deepEqual(diskFull('a'), message('a', 'The disk is full', true, false))
  assert.deepEqual(nightly('a'), message('a', 'The backup is done', false, true))
})
test('broadcast takes the same options', () => {
  assert.deepEqual(broadcast(['a'], 'x', { urgent: true }), [message('a', 'x', true, false)])
  assert.deepEqual(maintenance(['a']), [message('a', 'Down at nine', true, true)])
})
test('a call by another name', () => assert.deepEqual(welcome('a'), message('a', 'Welcome', false, true)))
