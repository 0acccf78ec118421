import {
  chmodSync,
  copyFileSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join, relative } from 'node:path'

/**
 * A folder like `resources` of an installed app, with small files instead of the real ones. `files`: paths in the app,
 * with their contents.
 */
export function fakeResources(
  folder: string,
  files: Record<string, string> = {},
): { resources: string; node: string; app: string } {
  const resources = join(folder, 'resources')
  const [node, app] = [join(resources, 'bin', 'trestle-node'), join(resources, 'app.asar.unpacked')]
  const all = {
    'package.json': '{"type":"module"}',
    'out/main/task-host.js': 'one',
    'out/main/chunks/a.js': 'chunk',
    ...files,
  }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(app, name)), { recursive: true })
    writeFileSync(join(app, name), text)
  }
  mkdirSync(dirname(node), { recursive: true })
  writeFileSync(node, '#!/bin/sh\necho node\n')
  chmodSync(node, 0o755)
  return { resources, node, app }
}

/** Files of the repository that plain Node needs in a package, in addition to `package.json`. */
const PACKAGES = [
  'node-pty/lib',
  'node-pty/build/Release',
  'better-sqlite3/lib',
  'better-sqlite3/build/Release',
  'better-sqlite3/prebuilds',
  'sharp',
  '@img',
  'detect-libc',
  'semver',
  '@vscode',
  'web-tree-sitter',
  'tree-sitter-bash/tree-sitter-bash.wasm',
]
const ROOT = join(import.meta.dirname, '..', '..')

/**
 * The `resources` of an installed app with the built program and the Node that runs the tests: like a package, but not
 * in an archive.
 */
export function installedResources(folder: string): { cli: string; resources: string } {
  const resources = join(folder, 'resources')
  const app = join(resources, 'app.asar.unpacked')
  const modules = realpathSync(join(ROOT, 'node_modules'))
  put(realpathSync(process.execPath), join(resources, 'bin', 'trestle-node'))
  for (const name of ['trestle', 'trestle.cmd']) put(join(ROOT, 'resources', 'bin', name), join(resources, 'bin', name))
  for (const name of ['package.json', 'resources', 'out/main', 'out/renderer/index.html'])
    put(join(ROOT, name), join(app, name))
  for (const name of PACKAGES) {
    const [first = '', second = ''] = name.split('/')
    const owner = first.startsWith('@') ? join(first, second) : first
    if (name !== owner) put(join(modules, owner, 'package.json'), join(app, 'node_modules', owner, 'package.json'))
    put(join(modules, name), join(app, 'node_modules', name))
  }
  return { resources, cli: join(app, 'out', 'main', 'cli.js') }
}

/**
 * Makes plain Node look like the main process of a packaged Electron whose fuse `runAsNode` is off: for `node
 * --import`. Starting `process.execPath` then starts a program that only records that in `starts`.
 */
export function pretendElectron(folder: string): { imported: string; starts: () => number } {
  const [app, note, imported] = [join(folder, 'stand-in'), join(folder, 'starts'), join(folder, 'pretend.mjs')]
  writeFileSync(note, '')
  writeFileSync(app, `#!/bin/sh\necho "$@" >>'${note}'\n`)
  chmodSync(app, 0o755)
  writeFileSync(
    imported,
    `Object.defineProperty(process, 'versions', { value: { ...process.versions, electron: '45.4.1' } })
process.execPath = ${JSON.stringify(app)}
process.type = 'browser'
`,
  )
  return { imported, starts: () => readFileSync(note, 'utf8').split('\n').length - 1 }
}

/** Copies a file or a folder with all its contents, without duplicating data if the file system allows that. */
function put(from: string, to: string): void {
  let entries: string[]
  try {
    entries = readdirSync(from, { recursive: true, withFileTypes: true })
      .filter((entry) => !entry.isDirectory())
      .map((entry) => join(entry.parentPath, entry.name))
  } catch {
    entries = [from]
  }
  for (const path of entries) {
    const target = join(to, relative(from, path))
    mkdirSync(dirname(target), { recursive: true })
    try {
      linkSync(realpathSync(path), target)
    } catch {
      copyFileSync(path, target)
    }
  }
}
