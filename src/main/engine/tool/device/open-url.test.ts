import { chmodSync, mkdirSync, renameSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { callContext } from '../../../../../test/support/call-context'
import { textOf } from '../../../../shared/model/turn/message'
import { createWorkspace } from '../../workspace/workspace'
import { openUrlTool } from './open-url'

test('opens documents of the project, but nothing that a system would run', async () => {
  const root = join(await tempFolder(), 'project')
  mkdirSync(root)
  const tool = openUrlTool({ workspace: createWorkspace({ root }) })
  const refusalOf = async (name: string): Promise<string | undefined> => {
    writeFileSync(join(root, name), '')
    const prepared = await tool.prepare({ url: name })
    return 'refused' in prepared ? textOf(prepared.refused.content) : undefined
  }
  for (const name of ['a.html', 'b.pdf', 'c.png', 'd.docx', 'e.txt', 'f'])
    expect([name, await refusalOf(name)]).toEqual([name, undefined])
  const programs = ['a.exe', 'a.JS', 'a.chm', 'a.xlsm', 'a.iso', 'a.inetloc', 'a.terminal', 'a.flatpakref', 'a.desktop']
  for (const name of programs) expect([name, await refusalOf(name)]).toEqual([name, expect.stringContaining('program')])
  writeFileSync(join(root, 'g'), '')
  chmodSync(join(root, 'g'), 0o755)
  // Windows has no such permission.
  expect((await refusalOf('g')) !== undefined).toBe(process.platform !== 'win32')
})

test.runIf(process.platform !== 'win32')(
  'does not open a file that was replaced by a link before the user agreed',
  async () => {
    const base = await tempFolder()
    const root = join(base, 'project')
    mkdirSync(join(root, 'docs'), { recursive: true })
    mkdirSync(join(base, 'outside'))
    for (const path of ['project/a.html', 'project/docs/b.html', 'outside/b.html']) writeFileSync(join(base, path), '')
    const opened: string[] = []
    const opener = { url: async () => undefined, file: async (path: string) => void opened.push(path) }
    const tool = openUrlTool({ workspace: createWorkspace({ root }), opener })
    const calls = await Promise.all(['a.html', 'docs/b.html'].map((url) => tool.prepare({ url })))
    renameSync(join(root, 'a.html'), join(root, 'old.html'))
    symlinkSync(join(base, 'outside', 'b.html'), join(root, 'a.html'))
    renameSync(join(root, 'docs'), join(root, 'old'))
    symlinkSync(join(base, 'outside'), join(root, 'docs'))
    for (const call of calls) {
      if ('refused' in call) throw new Error('The file was refused.')
      expect(await call.run(callContext())).toMatchObject({ isError: true })
    }
    expect(opened).toEqual([])
  },
)
