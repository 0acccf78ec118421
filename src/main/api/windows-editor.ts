import { win32 } from 'node:path'

/** A program to start, with variables added to its environment. */
export interface WindowsStart {
  program: string
  args: string[]
  env: Record<string, string>
}

/** What Windows tries for a command without an ending: programs, and the batch files that editors install. */
const ENDINGS = ['.exe', '.cmd', '.bat']

/** The program of a command: a full path, or a name in an absolute folder of PATH. Undefined when it is missing. */
export function findOnWindows(command: string, path: string, isProgram: (file: string) => boolean): string | undefined {
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
 * How to start a program. Only cmd.exe can start a batch file; it gets the words as variables, each in quotes, so that
 * no character of a file name (`&`, `^`, `%`) means anything to it. A Windows path has no quotes.
 */
export function startOnWindows(program: string, args: readonly string[], systemRoot: string): WindowsStart {
  if (!/\.(?:cmd|bat)$/i.test(program)) return { program, args: [...args], env: {} }
  const words = [program, ...args].map((word) => word.replaceAll('"', ''))
  const names = words.map((_, index) => `TRESTLE_EDITOR_${index}`)
  return {
    program: win32.join(systemRoot, 'System32', 'cmd.exe'),
    args: ['/d', '/v:off', '/s', '/c', `"${names.map((name) => `"%${name}%"`).join(' ')}"`],
    env: Object.fromEntries(names.map((name, index) => [name, words[index]!])),
  }
}
