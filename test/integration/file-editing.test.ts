import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { AppWithAgent } from '../support/app-with-agent'

let app: AppWithAgent | undefined
afterEach(async () => {
  await app?.end()
  app = undefined
})

async function start(): Promise<{ app: AppWithAgent; file: string; sessionId: string }> {
  app = await AppWithAgent.start('default_permission_mode = "auto"')
  const file = join(app.scratch.project, 'a.txt')
  writeFileSync(file, 'one\r\ntwo\r\n')
  const [session] = await app.client.session.list({})
  if (!session) throw new Error('The app has no session.')
  return { app, file, sessionId: session.sessionId }
}

it('the agent has to read a file again after the user has changed it in the viewer', async () => {
  const { app: running, file, sessionId } = await start()
  await running.call([{ name: 'Read', input: { path: 'a.txt' } }])
  const { mark } = await running.client.file.text({ sessionId, path: 'a.txt' })
  const saved = await running.client.file.save({ sessionId, path: 'a.txt', text: 'mine\r\ntwo\r\n', mark })
  expect(saved.saved).toBe(true)
  const edit = [{ name: 'Edit', input: { path: 'a.txt', old_string: 'two', new_string: 'three' } }]
  expect(await running.call(edit)).toMatch(/was changed on disk since it was last read/)
  expect(readFileSync(file, 'utf8')).toBe('mine\r\ntwo\r\n')
})

it('a saved edit is listed among the changes, and is undone without losing later ones', async () => {
  const { app: running, file, sessionId } = await start()
  const { client } = running
  const { mark } = await client.file.text({ sessionId, path: 'a.txt' })
  const saved = await client.file.save({ sessionId, path: 'a.txt', text: 'mine\r\n', mark })
  if (!saved.saved) throw new Error('It was not saved.')
  expect((await client.checkpoint.files({ sessionId })).map(({ path }) => path)).toEqual([saved.path])
  writeFileSync(file, 'by another program')
  const undo = { sessionId, to: saved.seq - 1, files: true, paths: [saved.path] }
  const { kept } = await client.checkpoint.restore(undo)
  expect(kept).toHaveLength(1)
  expect(readFileSync(file, 'utf8')).toBe('by another program')
  writeFileSync(file, 'mine\r\n')
  await client.checkpoint.restore(undo)
  expect(readFileSync(file, 'utf8')).toBe('one\r\ntwo\r\n')
})

it('a deleted file is restored, and a renamed one gets its name back', async () => {
  const { app: running, file, sessionId } = await start()
  const { client } = running
  const renamed = await client.file.rename({ sessionId, path: 'a.txt', name: 'b.txt' })
  await client.file.remove({ sessionId, path: 'b.txt' })
  await expect(client.file.view({ sessionId, path: 'b.txt' })).rejects.toThrow('b.txt does not exist')
  await client.checkpoint.restore({ sessionId, to: renamed.seq - 1, files: true })
  expect(readFileSync(file, 'utf8')).toBe('one\r\ntwo\r\n')
})

it('a renamed folder is renamed back, and going back in the conversation restores its files', async () => {
  const { app: running, file, sessionId } = await start()
  const { client } = running
  const inside = join(dirname(file), 'docs', 'guide.md')
  mkdirSync(dirname(inside))
  writeFileSync(inside, 'guide')
  const renamed = await client.file.rename({ sessionId, path: 'docs', name: 'pages' })
  expect(existsSync(inside)).toBe(false)
  await client.file.rename({ sessionId, path: 'pages', name: 'docs' })
  expect(readFileSync(inside, 'utf8')).toBe('guide')
  await client.file.rename({ sessionId, path: 'docs', name: 'pages' })
  await client.checkpoint.restore({ sessionId, to: renamed.seq - 1, files: true })
  expect(readFileSync(inside, 'utf8')).toBe('guide')
})

it('the agent reads an attached file without a request, and it is private', async () => {
  const { app: running, sessionId } = await start()
  const data = Buffer.from('remember the milk\n'.repeat(2000)).toString('base64')
  const attached = await running.client.file.attach({ sessionId, name: 'notes.txt', data })
  expect(statSync(attached.path).mode & 0o077).toBe(0)
  expect(await running.call([{ name: 'Read', input: { path: attached.path, n_lines: 2 } }])).toContain(
    'remember the milk',
  )
})
