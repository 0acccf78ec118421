import { readdir, realpath, stat, mkdir, mkdtemp, writeFile } from 'node:fs/promises'
import { homedir, tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { errorCode, errorText } from '../../../shared/error-text'
import type { ApiDeps, Implementer } from '../implementer'
import type { FolderListing } from '../../../shared/contract/project/file'
import { CodedError } from '../../../shared/errors'

export function folderHandlers(os: Implementer, { engine }: ApiDeps) {
  return {
    list: os.folder.list.handler(({ input }) => listFolder(input.path)),
    complete: os.folder.complete.handler(({ input }) =>
      engine.sessions.completeFile(input.sessionId, input.query, input.limit),
    ),
    scratch: os.folder.scratch.handler(async () => ({ path: await createScratchFolder() })),
  }
}

/** Maximum subfolders listed; the rest is omitted. */
const MAX_FOLDERS = 2000

/**
 * The subfolders of a folder, by name, links to folders included. `~`, `~/x` and relative paths start at the home
 * folder. Throws `folder.missing` or `folder.unreadable`.
 */
export async function listFolder(path: string, home: string = homedir()): Promise<FolderListing> {
  if (path.includes('\0')) throw new CodedError('request.invalid', 'path: a path cannot contain NUL')
  const expanded =
    path === '~'
      ? home
      : path.startsWith('~/') || path.startsWith('~\\')
        ? join(home, path.slice(2))
        : resolve(home, path)
  try {
    const real = await realpath(expanded)
    const entries = await readdir(real, { withFileTypes: true })
    const names: string[] = []
    for (const entry of entries) {
      if (entry.isDirectory() || (entry.isSymbolicLink() && (await isFolder(join(real, entry.name)))))
        names.push(entry.name)
    }
    names.sort(
      (a, b) =>
        Number(a.startsWith('.')) - Number(b.startsWith('.')) ||
        a.localeCompare(b, undefined, { numeric: true, sensitivity: 'base' }),
    )
    const parent = dirname(real)
    return {
      path: real,
      ...(parent !== real && { parent }),
      folders: names.slice(0, MAX_FOLDERS).map((name) => ({ name, path: join(real, name) })),
    }
  } catch (error) {
    throw folderFailure(expanded, error)
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}

function folderFailure(path: string, error: unknown): CodedError {
  switch (errorCode(error)) {
    case 'ENOENT':
      return new CodedError('folder.missing', `There is no folder ${path}.`, { cause: error })
    case 'ENOTDIR':
      return new CodedError('folder.missing', `${path} is not a folder.`, { cause: error })
    case 'EACCES':
    case 'EPERM':
      return new CodedError('folder.unreadable', `You have no permission to read ${path}.`, { cause: error })
    default:
      return new CodedError('folder.unreadable', errorText(error), { cause: error })
  }
}

/** A project small enough to read at a glance, with a command to run and something to improve. */
const FILES: Readonly<Record<string, string>> = {
  'README.md':
    '# Greeter\n\nA scratch project to try Trestle in. ' +
    'Nothing here matters: change what you like.\n\n    node src/main.js Ada\n',
  'package.json':
    '{\n  "name": "greeter",\n  "version": "0.0.1",\n  "type": "module",\n  "private": true,\n' +
    '  "scripts": { "start": "node src/main.js", "test": "node --test" }\n}\n',
  'src/greet.js': "/** Says hello to a person. */\nexport function greet(name) {\n  return 'Hello, ' + name\n}\n",
  'src/main.js': "import { greet } from './greet.js'\n\nconsole.log(greet(process.argv[2] ?? 'world'))\n",
  'test/greet.test.js':
    "import assert from 'node:assert/strict'\nimport { test } from 'node:test'\nimport { greet } from " +
    "'../src/greet.js'\n\ntest('greets by name', () => {\n  assert.equal(greet('Ada'), 'Hello, Ada')\n})\n",
}

/**
 * Creates a small demo project in a new temporary folder and returns its path. It cannot live in Trestle's home folder:
 * a change there counts as a change to Trestle's configuration, and every step of the demo would be flagged as
 * dangerous.
 */
export async function createScratchFolder(): Promise<string> {
  try {
    const path = join(await mkdtemp(join(tmpdir(), 'trestle-demo-')), 'greeter')
    for (const [name, content] of Object.entries(FILES)) {
      const file = join(path, name)
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, content, { flag: 'wx' })
    }
    return path
  } catch (error) {
    throw new CodedError('request.invalid', `No temporary folder could be made in ${tmpdir()}: ${errorText(error)}`, {
      cause: error,
    })
  }
}
