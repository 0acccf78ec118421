import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { createUnsearchedFiles } from './unsearched-files'

async function project() {
  const root = await tempFolder()
  writeFileSync(join(root, '.env'), 'KEY=1')
  const call = new AbortController()
  const asked = { folder: root, root, includeIgnored: false, deadline: performance.now() + 60_000, signal: call.signal }
  return { root, call, asked, files: createUnsearchedFiles() }
}

it('keeps the result after its call has ended', async () => {
  const { root, call, asked, files } = await project()
  expect(await files(asked)).toEqual([join(root, '.env')])
  call.abort()
  writeFileSync(join(root, 'id_rsa'), 'key')
  expect(await files({ ...asked, signal: new AbortController().signal })).toEqual([join(root, '.env')])
})

it('does not keep the result of a call that was stopped', async () => {
  const { root, call, asked, files } = await project()
  call.abort()
  await files(asked)
  expect(await files({ ...asked, signal: new AbortController().signal })).toEqual([join(root, '.env')])
})

it('looks again for another folder', async () => {
  const { asked, files } = await project()
  await files(asked)
  const other = await tempFolder()
  expect(await files({ ...asked, folder: other, root: other })).toEqual([])
})
