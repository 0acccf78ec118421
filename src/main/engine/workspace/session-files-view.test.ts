import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { tempFolder } from '../../../../test/support/temp-folder'
import { createFileAccess } from './file-access'
import { createSessionFilesView } from './session-files-view'

async function lab() {
  const top = await tempFolder()
  const [folder, added, home] = [join(top, 'project'), join(top, 'added'), join(top, 'home')]
  for (const path of [join(folder, 'src'), added, home, join(top, 'elsewhere')]) await mkdir(path, { recursive: true })
  await writeFile(join(folder, 'src/app.ts'), 'one\r\ntwo\r\nthree\r\n')
  await writeFile(join(folder, '.env'), 'KEY=1')
  await writeFile(join(folder, 'picture.png'), Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 1, 2]))
  await writeFile(join(folder, 'long.txt'), Array.from({ length: 2500 }, (_, n) => `line ${n + 1}`).join('\n'))
  await writeFile(join(top, 'elsewhere/secret.txt'), 'secret')
  await writeFile(join(added, 'more.md'), 'more')
  await writeFile(join(home, 'config.toml'), 'x')
  await symlink(join(top, 'elsewhere/secret.txt'), join(folder, 'link.txt'))
  await symlink(home, join(folder, 'own'))
  const view = createSessionFilesView({
    access: createFileAccess({ home, header: () => ({ folder, addedFolders: [added] }) }),
    editorCommand: () => undefined,
  })
  return { view, folder, added, top }
}

describe('files that the user views', () => {
  it('are found in the project and its added folders, and nowhere else', async () => {
    const { view, folder, added, top } = await lab()
    const paths = ['src/app.ts', 'src', join(folder, 'src/app.ts'), join(added, 'more.md')]
    expect(await view.find('s', paths)).toEqual([
      { path: 'src/app.ts', isFolder: false },
      { path: 'src', isFolder: true },
      { path: 'src/app.ts', isFolder: false },
      { path: join(added, 'more.md'), isFolder: false },
    ])
    const others = [
      'gone.ts',
      '.env',
      'link.txt',
      'own/config.toml',
      '../elsewhere/secret.txt',
      join(top, 'elsewhere/secret.txt'),
      '/etc/passwd',
      'a\0b',
    ]
    expect(await view.find('s', others)).toEqual(others.map(() => null))
    for (const path of others.slice(1)) {
      await expect(view.read('s', path, 1)).rejects.toMatchObject({ code: 'request.invalid' })
      await expect(view.locate('s', path)).rejects.toMatchObject({ code: 'request.invalid' })
    }
  })

  it('are read a thousand lines at a time, and reported if they are not text', async () => {
    const { view } = await lab()
    expect(await view.read('s', 'src/app.ts', 2)).toMatchObject({
      path: 'src/app.ts',
      from: 2,
      lines: ['two', 'three'],
      totalLines: 3,
    })
    const page = await view.read('s', 'long.txt', 1501)
    expect([page.lines.length, page.lines[0], page.totalLines]).toEqual([1000, 'line 1501', 2500])
    expect((await view.read('s', 'picture.png', 1)).problem).toContain('is not text')
    expect((await view.read('s', 'gone.ts', 1)).problem).toContain('does not exist')
    expect((await view.read('s', 'src', 1)).problem).toContain('folder')
  })
})
