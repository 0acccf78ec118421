import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { delimiter, dirname, isAbsolute, join, extname } from 'node:path'
import { readPlainText } from '../workspace/path/plain-file'
import { isWithin } from '../workspace/path/real-path'
import type { DiagnosedLanguage } from '../config/settings/interface-settings'

/** A language server that can be started. */
export interface LanguageServerCommand {
  command: string
  args: readonly string[]
  /**
   * `project`: it is in the project's folder, so the project's authors chose it. `settings`: the user's configuration
   * names it.
   */
  from: 'project' | 'path' | 'settings'
  /** Paths outside the project that it must be able to read: the package it belongs to. */
  needs: readonly string[]
}

export interface ServerSearch {
  /** The session's folder, a real path. */
  root: string
  /** The file to check: the search goes from its folder up to `root`. */
  file: string
  programs: readonly ServerProgram[]
  /** PATH of the server's environment. */
  path: string
  /** The command in the settings. */
  override?: readonly string[]
  /** Whether a server inside the project may run. */
  allowsProject: boolean
}

const EXTENSIONS = process.platform === 'win32' ? ['.cmd', '.exe', ''] : ['']

/**
 * Searches the settings, node_modules/.bin and .venv/bin from the file's folder up, then PATH. Undefined if no server
 * is found.
 */
export function findLanguageServer({
  root,
  file,
  programs,
  path,
  override,
  allowsProject,
}: ServerSearch): LanguageServerCommand | undefined {
  if (override) {
    const [command, ...args] = override
    return command === undefined
      ? undefined
      : { command, args, from: 'settings', needs: override.filter((part) => isAbsolute(part)).flatMap(packageOf) }
  }
  for (const program of programs) {
    const { name, args, fromTypeScript7 } = program
    if (allowsProject) {
      for (const folder of foldersUp(dirname(file), root)) {
        if (fromTypeScript7 && !hasTypeScript7(folder)) continue
        const command = programIn(
          [join(folder, 'node_modules', '.bin'), join(folder, '.venv', 'bin'), join(folder, '.venv', 'Scripts')],
          name,
        )
        if (command !== undefined) return { command, args, from: 'project', needs: packageOf(command) }
      }
    }
    if (fromTypeScript7) continue
    const folders = path.split(delimiter).filter((folder) => folder !== '' && !isWithin(folder, root))
    const command = programIn(folders, name)
    if (command !== undefined) return { command, args, from: 'path', needs: packageOf(command) }
  }
  return undefined
}

function foldersUp(from: string, root: string): string[] {
  const folders: string[] = []
  for (let at = from; isWithin(at, root); at = dirname(at)) {
    folders.push(at)
    if (at === root) break
  }
  return folders
}

function programIn(folders: readonly string[], name: string): string | undefined {
  for (const folder of folders) {
    for (const extension of EXTENSIONS) {
      const path = join(folder, name + extension)
      // A sandbox lacks links in its path, so the folder is resolved. The program's own name, which may be a link, is
      // kept: some programs act according to their name.
      if (isProgram(path)) return join(realpathSync(folder), name + extension)
    }
  }
  return undefined
}

function isProgram(path: string): boolean {
  try {
    // Creating an error for each folder in PATH would take most of the search time.
    if (!statSync(path, { throwIfNoEntry: false })?.isFile()) return false
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

const MAX_PACKAGE_BYTES = 1024 * 1024

function hasTypeScript7(folder: string): boolean {
  try {
    const file = join(folder, 'node_modules', 'typescript', 'package.json')
    const { version } = JSON.parse(readPlainText(file, MAX_PACKAGE_BYTES) ?? '{}') as { version?: unknown }
    return typeof version === 'string' && Number.parseInt(version, 10) >= 7
  } catch {
    return false
  }
}

/** The folder of packages with the program: a link in .bin points into a package that needs the packages around it. */
function packageOf(command: string): string[] {
  try {
    const real = realpathSync(command)
    const at = real.indexOf(`${join('/', 'node_modules')}/`)
    return [command, at < 0 ? real : real.slice(0, at + '/node_modules'.length)]
  } catch {
    return [command]
  }
}

/** A program that serves a language. */
interface ServerProgram {
  name: string
  args: readonly string[]
  /**
   * It comes with the project's TypeScript since version 7; in older versions, the program of this name is not a
   * server.
   */
  fromTypeScript7?: true
}

interface Language {
  id: DiagnosedLanguage
  /** By extension: the protocol's language id. */
  languageIds: Readonly<Record<string, string>>
  /** The first one found is used. */
  programs: readonly ServerProgram[]
}

export const LANGUAGES: readonly Language[] = [
  {
    id: 'typescript',
    languageIds: {
      '.ts': 'typescript',
      '.mts': 'typescript',
      '.cts': 'typescript',
      '.tsx': 'typescriptreact',
      '.js': 'javascript',
      '.mjs': 'javascript',
      '.cjs': 'javascript',
      '.jsx': 'javascriptreact',
    },
    programs: [
      { name: 'tsc', args: ['--lsp', '--stdio'], fromTypeScript7: true },
      { name: 'typescript-language-server', args: ['--stdio'] },
    ],
  },
  {
    id: 'python',
    languageIds: { '.py': 'python', '.pyi': 'python' },
    programs: [{ name: 'pyright-langserver', args: ['--stdio'] }],
  },
  { id: 'go', languageIds: { '.go': 'go' }, programs: [{ name: 'gopls', args: [] }] },
  { id: 'rust', languageIds: { '.rs': 'rust' }, programs: [{ name: 'rust-analyzer', args: [] }] },
]

/** The language of a file by its extension, with the protocol's language id. */
export function languageOf(path: string): { language: Language; languageId: string } | undefined {
  const extension = extname(path).toLowerCase()
  for (const language of LANGUAGES) {
    const languageId = language.languageIds[extension]
    if (languageId !== undefined) return { language, languageId }
  }
  return undefined
}
