import { existsSync, readFileSync, statSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { attachmentsFolder } from '../workspace/file-access'
import { keepAttachment } from './attachments'

test('keeps an attached file in the folder of its session, whatever its name', async () => {
  const home = await tempFolder()
  for (const [name, kept] of [
    ['notes.txt', 'notes.txt'],
    ['../../../evil.sh', 'evil.sh'],
    ['C:\\Users\\me\\.env', 'env'],
    [' .bashrc', 'bashrc'],
    ['..', 'file'],
    ['世'.repeat(120), '世'.repeat(66)],
  ] as const) {
    const file = await keepAttachment(home, 's', name, Buffer.from('text'))
    expect([basename(file.path), dirname(file.path)]).toEqual([kept, attachmentsFolder(home, 's')])
    expect(readFileSync(file.path, 'utf8')).toBe('text')
  }
  expect(existsSync(join(home, '..', 'evil.sh'))).toBe(false)
})

test('keeps two files with the same name', async () => {
  const home = await tempFolder()
  const names = []
  for (const text of ['one', 'two', 'three']) {
    const { path, text: shown } = await keepAttachment(home, 's', 'a.tar.gz', Buffer.from(text))
    expect([readFileSync(path, 'utf8'), shown]).toEqual([text, text])
    names.push(basename(path))
  }
  expect(names).toEqual(['a.tar.gz', 'a.tar-2.gz', 'a.tar-3.gz'])
})

test('sends a short text with the message; the agent reads long texts and other files from disk', async () => {
  const home = await tempFolder()
  const keep = (data: Uint8Array) => keepAttachment(home, 's', 'a', data)
  expect(await keep(Buffer.from('x'.repeat(16_000)))).toMatchObject({ kind: 'text', text: 'x'.repeat(16_000) })
  expect(await keep(Buffer.from('x'.repeat(16_001)))).not.toHaveProperty('text')
  expect(await keep(Buffer.from([0, 1, 2, 0]))).not.toHaveProperty('text')
  expect(await keep(new Uint8Array(0))).toMatchObject({ kind: 'text', text: '', size: 0 })
})

test.runIf(process.platform !== 'win32')('an attached file can be read only by the user', async () => {
  const { path } = await keepAttachment(await tempFolder(), 's', 'a', Buffer.from('x'))
  expect([statSync(path).mode & 0o777, statSync(dirname(path)).mode & 0o777]).toEqual([0o600, 0o700])
})

test('keeps only the bytes of a view, not its whole buffer', async () => {
  const whole = Buffer.from('secret-text-secret')
  const view = new Uint8Array(whole.buffer, whole.byteOffset + 7, 4)
  expect(readFileSync((await keepAttachment(await tempFolder(), 's', 'a', view)).path, 'utf8')).toBe('text')
})
