import { expect, it } from 'vitest'
import { createUserEditor } from './user-editor'

function lab(programs: string[], env: Record<string, string> = {}, platform: NodeJS.Platform = 'linux') {
  const started: string[][] = []
  const environments: Record<string, string>[] = []
  const editor = createUserEditor({
    env: { PATH: '/bin:/usr/bin:.', ...env },
    platform,
    isProgram: (path) => programs.includes(path),
    start: async (program, args, added = {}) => {
      environments.push(added)
      return started.push([program, ...args]) > 0
    },
  })
  return { editor, started, environments }
}
const place = { path: '/p/a.ts', line: 3, column: 5 }

it('opens the file at its line in the configured editor, the one from the environment, or the first one found', async () => {
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
    ['/usr/bin/idea', '--line', '3', '--column', '5', '/p/a.ts'],
    ['/usr/bin/code', '-g', '/p/a.ts'],
  ])
  expect(await lab(all, { EDITOR: 'vim' }).editor.editorName(undefined)).toBe('VS Code')
})

it('lists the installed editors to choose from', async () => {
  const { editor } = lab(['/usr/bin/code', '/bin/zed', '/usr/bin/zeditor', '/usr/bin/vim'])
  expect(await editor.editors()).toEqual([
    { command: 'code', name: 'VS Code' },
    { command: 'zed', name: 'Zed' },
    { command: 'zeditor', name: 'Zed' },
  ])
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

it('opens the file at its line on Windows, where editor commands are batch files', async () => {
  const path = { PATH: 'relative;C:\\Users\\me\\VS Code\\bin;C:\\Tools', SystemRoot: 'C:\\Windows' }
  const programs = ['relative\\code.cmd', 'C:\\Users\\me\\VS Code\\bin\\code.cmd', 'C:\\Tools\\zed.exe']
  const { editor, started, environments } = lab(programs, path, 'win32')
  const odd = { path: 'C:\\a & b\\100%PATH%^.ts', line: 3 }
  expect(await editor.editorName(undefined)).toBe('VS Code')
  expect(await editor.edit(odd, undefined)).toBe(true)
  expect(await editor.edit(odd, 'zed')).toBe(true)
  expect(started).toEqual([
    [
      'C:\\Windows\\System32\\cmd.exe',
      '/d',
      '/v:off',
      '/s',
      '/c',
      '""%TRESTLE_EDITOR_0%" "%TRESTLE_EDITOR_1%" "%TRESTLE_EDITOR_2%""',
    ],
    ['C:\\Tools\\zed.exe', 'C:\\a & b\\100%PATH%^.ts:3'],
  ])
  expect(environments[0]).toEqual({
    TRESTLE_EDITOR_0: 'C:\\Users\\me\\VS Code\\bin\\code.cmd',
    TRESTLE_EDITOR_1: '-g',
    TRESTLE_EDITOR_2: 'C:\\a & b\\100%PATH%^.ts:3',
  })
  expect(await lab([], path, 'win32').editor.edit(odd, undefined)).toBe(false)
})
