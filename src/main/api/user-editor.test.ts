import { expect, it } from 'vitest'
import { createUserEditor } from './user-editor'

function lab(programs: string[], env: Record<string, string> = {}, platform: NodeJS.Platform = 'linux') {
  const started: string[][] = []
  const editor = createUserEditor({
    env: { PATH: '/bin:/usr/bin:.', ...env },
    platform,
    isProgram: (path) => programs.includes(path),
    start: async (program, args) => started.push([program, ...args]) > 0,
  })
  return { editor, started }
}
const place = { path: '/p/a.ts', line: 3, column: 5 }

it('opens the file at its line in the configured editor, the one from the environment, or the first found', async () => {
  const all = ['/usr/bin/code', '/usr/bin/zed', '/opt/my-editor', '/usr/bin/idea']
  const { editor, started } = lab(all, { EDITOR: 'zed --wait' })
  await editor.edit(place, undefined)
  await editor.edit(place, 'code')
  await editor.edit(place, '/opt/my-editor')
  await editor.edit(place, 'idea')
  await editor.edit({ path: '/p/a.ts' }, 'code')
  expect(started).toEqual([
    ['/usr/bin/zed', '/p/a.ts:3:5'],
    ['/usr/bin/code', '-g', '/p/a.ts:3:5'],
    ['/opt/my-editor', '/p/a.ts'],
    ['/usr/bin/idea', '--line', '3', '/p/a.ts'],
    ['/usr/bin/code', '-g', '/p/a.ts'],
  ])
  expect(await lab(all, { EDITOR: 'vim' }).editor.editorName(undefined)).toBe('VS Code')
})

it('reports no editor when no graphical one is found, and runs no program from a relative folder', async () => {
  const { editor, started } = lab(['/usr/bin/vim', 'code', './code'], { EDITOR: 'vim' })
  expect([
    await editor.editorName(undefined),
    await editor.edit(place, undefined),
    await editor.reveal('/p/a.ts'),
  ]).toEqual([undefined, false, false])
  expect(started).toEqual([])
})

it('reveals a file in the file manager', async () => {
  const mac = lab([], {}, 'darwin')
  await mac.editor.reveal('/p/a.ts')
  const linux = lab(['/usr/bin/xdg-open'])
  await linux.editor.reveal('/p/a.ts')
  expect([mac.started, linux.started]).toEqual([[['/usr/bin/open', '-R', '/p/a.ts']], [['/usr/bin/xdg-open', '/p']]])
})
