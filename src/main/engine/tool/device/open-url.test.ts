import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tempFolder } from '../../../../../test/support/temp-folder'
import { textOf } from '../../../../shared/model/turn/message'
import { createWorkspace } from '../../workspace/workspace'
import { openUrlTool } from './open-url'

test('opens documents of the project, and nothing that a system would run', async () => {
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
