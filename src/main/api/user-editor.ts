import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { basename, delimiter, dirname, join, win32 } from 'node:path'
import type { FoundEditor } from '../../shared/contract/project/file'

/** A program to start, with variables added to its environment. */
interface WindowsStart {
  program: string
  args: string[]
  env: Record<string, string>
}

/** Extensions Windows tries for a command without one: programs, and the batch files that editors install. */
const ENDINGS = ['.exe', '.cmd', '.bat']

/** The program of a command: a full path, or a name in an absolute folder of PATH. Undefined if it is missing. */
function findOnWindows(command: string, path: string, isProgram: (file: string) => boolean): string | undefined {
  const hasEnding = ENDINGS.includes(win32.extname(command).toLowerCase())
  const names = hasEnding ? [command] : ENDINGS.map((ending) => command + ending)
  if (/[\\/]/.test(command)) return names.find((name) => win32.isAbsolute(name) && isProgram(name))
  const folders = path.split(';').map((folder) => folder.replaceAll('"', ''))
  return folders
    .filter((folder) => win32.isAbsolute(folder))
    .flatMap((folder) => names.map((name) => win32.join(folder, name)))
    .find(isProgram)
}

/**
 * How to start a program. Only cmd.exe can start a batch file. It gets the arguments as quoted variables, so that it
 * interprets no character of a file name (`&`, `^`, `%`). A Windows path contains no quotes.
 */
function startOnWindows(program: string, args: readonly string[], systemRoot: string): WindowsStart {
  if (!/\.(?:cmd|bat)$/i.test(program)) return { program, args: [...args], env: {} }
  const words = [program, ...args].map((word) => word.replaceAll('"', ''))
  const names = words.map((_, index) => `TRESTLE_EDITOR_${index}`)
  return {
    program: win32.join(systemRoot, 'System32', 'cmd.exe'),
    args: ['/d', '/v:off', '/s', '/c', `"${names.map((name) => `"%${name}%"`).join(' ')}"`],
    env: Object.fromEntries(names.map((name, index) => [name, words[index]!])),
  }
}

/** A position in a file; the path is absolute and real. */
export interface FilePosition {
  path: string
  line?: number | undefined
  column?: number | undefined
}

/** What a host on the user's own machine can do with a file. */
export interface FileActions {
  /** The editor's display name; undefined when no editor is found. `command`: the one config.toml names. */
  editorName(command: string | undefined): Promise<string | undefined>
  /** The installed editors, the most likely first. */
  editors(): Promise<FoundEditor[]>
  edit(place: FilePosition, command: string | undefined): Promise<boolean>
  /** Reveals the file in the system's file manager. */
  reveal(path: string): Promise<boolean>
}

export interface UserEditorDeps {
  env: Readonly<Record<string, string | undefined>>
  platform: NodeJS.Platform
  /** Whether a program can be run. */
  isProgram?: (path: string) => boolean
  /** Starts a detached program, with `env` added to its environment; false when it cannot be started. */
  start?: (program: string, args: readonly string[], env?: Record<string, string>) => Promise<boolean>
}

interface Editor {
  name: string
  args(place: FilePosition): string[]
}

const at = ({ path, line, column }: FilePosition): string =>
  line === undefined ? path : `${path}:${line}${column === undefined ? '' : `:${column}`}`
const asCode = (name: string): Editor => ({ name, args: (place) => ['-g', at(place)] })
const asZed = (name: string): Editor => ({ name, args: (place) => [at(place)] })
const asIdea = (name: string): Editor => ({
  name,
  args: ({ path, line, column }) => [
    ...(line === undefined ? [] : ['--line', String(line)]),
    ...(line === undefined || column === undefined ? [] : ['--column', String(column)]),
    path,
  ],
})

/** Graphical editors with a command that opens a file at a line, the most likely first. */
const EDITORS: Readonly<Record<string, Editor>> = {
  code: asCode('VS Code'),
  cursor: asCode('Cursor'),
  zed: asZed('Zed'),
  zeditor: asZed('Zed'),
  windsurf: asCode('Windsurf'),
  'code-insiders': asCode('VS Code Insiders'),
  codium: asCode('VSCodium'),
  kiro: asCode('Kiro'),
  trae: asCode('Trae'),
  subl: asZed('Sublime Text'),
  idea: asIdea('IntelliJ IDEA'),
  webstorm: asIdea('WebStorm'),
  pycharm: asIdea('PyCharm'),
  goland: asIdea('GoLand'),
  rustrover: asIdea('RustRover'),
  phpstorm: asIdea('PhpStorm'),
  clion: asIdea('CLion'),
  rider: asIdea('Rider'),
  rubymine: asIdea('RubyMine'),
  studio: asIdea('Android Studio'),
}
/** Paths of the commands on a Mac when they are not on the PATH. */
const MAC_COMMANDS: Readonly<Record<string, string>> = {
  code: '/Applications/Visual Studio Code.app/Contents/Resources/app/bin/code',
  cursor: '/Applications/Cursor.app/Contents/Resources/app/bin/cursor',
  zed: '/Applications/Zed.app/Contents/MacOS/cli',
  windsurf: '/Applications/Windsurf.app/Contents/Resources/app/bin/windsurf',
  subl: '/Applications/Sublime Text.app/Contents/SharedSupport/bin/subl',
  idea: '/Applications/IntelliJ IDEA.app/Contents/MacOS/idea',
  webstorm: '/Applications/WebStorm.app/Contents/MacOS/webstorm',
  pycharm: '/Applications/PyCharm.app/Contents/MacOS/pycharm',
  goland: '/Applications/GoLand.app/Contents/MacOS/goland',
  rustrover: '/Applications/RustRover.app/Contents/MacOS/rustrover',
  phpstorm: '/Applications/PhpStorm.app/Contents/MacOS/phpstorm',
  clion: '/Applications/CLion.app/Contents/MacOS/clion',
  rider: '/Applications/Rider.app/Contents/MacOS/rider',
}

/**
 * Opens files in the user's editor: the one config.toml names, otherwise `$VISUAL` or `$EDITOR` if graphical, otherwise
 * the first one found.
 */
export function createUserEditor({
  env,
  platform,
  isProgram = canRun,
  start = startDetached,
}: UserEditorDeps): FileActions {
  const programAt = (command: string): string | undefined => {
    if (platform === 'win32') return findOnWindows(command, env['PATH'] ?? env['Path'] ?? '', isProgram)
    if (command.includes('/')) return isProgram(command) ? command : undefined
    const onPath = (env['PATH'] ?? '')
      .split(delimiter)
      .find((folder) => folder.startsWith('/') && isProgram(join(folder, command)))
    if (onPath !== undefined) return join(onPath, command)
    const mac = platform === 'darwin' ? MAC_COMMANDS[command] : undefined
    return mac !== undefined && isProgram(mac) ? mac : undefined
  }
  const nameOf = (command: string): string =>
    platform === 'win32' ? win32.basename(command).replace(/\.(?:exe|cmd|bat)$/i, '') : basename(command)
  const find = (configured: string | undefined): { program: string; editor: Editor } | undefined => {
    const own = [env['VISUAL'], env['EDITOR']].flatMap((command) =>
      command === undefined ? [] : [command.trim().split(/\s+/)[0] ?? ''],
    )
    const wanted =
      configured === undefined
        ? [...own.filter((command) => Object.hasOwn(EDITORS, nameOf(command))), ...Object.keys(EDITORS)]
        : [configured]
    for (const command of wanted) {
      const program = programAt(command)
      const name = nameOf(command)
      if (program !== undefined)
        return {
          program,
          editor: (Object.hasOwn(EDITORS, name) ? EDITORS[name] : undefined) ?? { name, args: ({ path }) => [path] },
        }
    }
    return undefined
  }
  return {
    async editorName(command) {
      return find(command)?.editor.name
    },
    async editors() {
      const found = Object.entries(EDITORS).filter(([command]) => programAt(command) !== undefined)
      return found.map(([command, { name }]) => ({ command, name }))
    },
    async edit(place, command) {
      const found = find(command)
      if (!found) return false
      const args = found.editor.args(place)
      if (platform !== 'win32') return start(found.program, args)
      const made = startOnWindows(found.program, args, env['SystemRoot'] ?? 'C:\\Windows')
      return start(made.program, made.args, made.env)
    },
    async reveal(path) {
      if (platform === 'darwin') return start('/usr/bin/open', ['-R', path])
      if (platform === 'win32') return start('explorer.exe', [`/select,${path}`])
      const program = programAt('xdg-open')
      return program !== undefined && start(program, [dirname(path)])
    },
  }
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function startDetached(program: string, args: readonly string[], env: Record<string, string> = {}): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      stdio: 'ignore',
      detached: true,
      windowsHide: true,
      // The arguments for cmd.exe are already quoted.
      windowsVerbatimArguments: win32.basename(program) === 'cmd.exe',
      env: { ...process.env, ...env },
    })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
