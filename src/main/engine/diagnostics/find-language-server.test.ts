import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { findLanguageServer, type ServerSearch, LANGUAGES } from './find-language-server'

function project(...programs: string[]) {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-servers-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const put = (path: string, text = '#!/bin/sh\n'): void => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
    chmodSync(join(folder, path), 0o755)
  }
  for (const path of programs) put(path)
  const root = join(folder, 'root')
  mkdirSync(root, { recursive: true })
  const find = (language: string, file: string, more: Partial<ServerSearch> = {}) =>
    findLanguageServer({
      root,
      file: join(root, file),
      programs: LANGUAGES.find(({ id }) => id === language)!.programs,
      path: join(folder, 'bin'),
      allowsProject: true,
      ...more,
    })
  return { folder, root, put, find }
}

it('prefers the nearest server of the project to one in PATH', () => {
  const { root, folder, find } = project(
    'bin/typescript-language-server',
    'root/node_modules/.bin/typescript-language-server',
    'root/packages/a/node_modules/.bin/typescript-language-server',
  )
  expect(find('typescript', 'packages/a/src/x.ts')).toMatchObject({
    command: join(root, 'packages/a/node_modules/.bin/typescript-language-server'),
    from: 'project',
  })
  expect(find('typescript', 'packages/b/x.ts')?.command).toBe(
    join(root, 'node_modules/.bin/typescript-language-server'),
  )
  expect(find('typescript', 'x.ts', { allowsProject: false })).toMatchObject({
    command: join(folder, 'bin/typescript-language-server'),
    from: 'path',
  })
})

it('starts a server in a linked folder from its real path, under its own name, because a sandbox lacks the link', () => {
  const { root, folder, find, put } = project('store/gopls-1.2', 'shared/node_modules/pyright/langserver.js')
  mkdirSync(join(folder, 'versions', '1.2', 'bin'), { recursive: true })
  symlinkSync(join(folder, 'store', 'gopls-1.2'), join(folder, 'versions', '1.2', 'bin', 'gopls'))
  symlinkSync(join(folder, 'versions', '1.2'), join(folder, 'current'))
  expect(find('go', 'a.go', { path: join(folder, 'current', 'bin') })?.command).toBe(
    join(folder, 'versions', '1.2', 'bin', 'gopls'),
  )
  put('shared/node_modules/.bin/pyright-langserver')
  symlinkSync(join(folder, 'shared', 'node_modules'), join(root, 'node_modules'))
  expect(find('python', 'a.py')).toMatchObject({
    command: join(folder, 'shared', 'node_modules', '.bin', 'pyright-langserver'),
    needs: expect.arrayContaining([join(folder, 'shared', 'node_modules')]),
  })
})

it('finds a server in a .venv, and nothing when no server is installed', () => {
  const { root, find } = project('root/.venv/bin/pyright-langserver')
  expect(find('python', 'a/b.py')?.command).toBe(join(root, '.venv/bin/pyright-langserver'))
  expect(find('rust', 'a.rs')).toBeUndefined()
  expect(find('python', 'a.py', { allowsProject: false })).toBeUndefined()
})

it('treats programs in a PATH folder inside the project as programs of the project', () => {
  const { root, find } = project('root/tools/gopls')
  expect(find('go', 'a.go', { path: join(root, 'tools'), allowsProject: false })).toBeUndefined()
})

it('uses the server that comes with TypeScript only from version 7 on', () => {
  const { put, find, root } = project('root/node_modules/.bin/tsc', 'bin/typescript-language-server')
  put('root/node_modules/typescript/package.json', '{"version":"5.9.3"}')
  expect(find('typescript', 'a.ts')?.command).toContain('typescript-language-server')
  put('root/node_modules/typescript/package.json', '{"version":"7.0.2"}')
  expect(find('typescript', 'a.ts')).toMatchObject({
    command: join(root, 'node_modules/.bin/tsc'),
    args: ['--lsp', '--stdio'],
  })
})

it('prefers the command in the settings; an empty one disables the language', () => {
  const { find } = project('bin/gopls')
  expect(find('go', 'a.go', { override: ['my-gopls', '-x'] })).toMatchObject({
    command: 'my-gopls',
    args: ['-x'],
    from: 'settings',
  })
  expect(find('go', 'a.go', { override: [] })).toBeUndefined()
})
