import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Word } from '../../permission/shell-syntax'
import type { Workspace } from '../../workspace/workspace'

/** Options before `--`. */
function optionsOf(rest: readonly Word[]): readonly Word[] {
  const end = rest.findIndex((word) => word.text === '--')
  return end < 0 ? rest : rest.slice(0, end)
}

function hasOption(rest: readonly Word[], short: RegExp, long: string): boolean {
  return optionsOf(rest).some(({ text }) =>
    text.startsWith('--') ? text.length > 3 && long.startsWith(text) : text.startsWith('-') && short.test(text),
  )
}

/** `rm`: recursive and forced outside temporary folders, or recursive where everything would be lost. */
export function dangerousRemoval(rest: readonly Word[], around: CommandContext): string | undefined {
  const { targets, workspace } = around
  const unclear = optionsOf(rest).some(
    (word) => !word.known && !word.glob && !targets.some((target) => target.word === word),
  )
  if (!unclear && !hasOption(rest, /[rR]/, '--recursive')) return undefined
  const operands = rest.filter((word) => !(word.known && word.text.startsWith('-')))
  for (const word of operands) {
    const paths = wholePaths(word, around)
    if (!paths) return `Deletes ${word.text} with everything in it, and what that is will only be known when it runs.`
    const lost = paths.map((path) => systemOrProjectRoot(path, workspace)).find((each) => each !== undefined)
    if (lost !== undefined) return `Deletes everything under ${lost}.`
  }
  if (!unclear && !hasOption(rest, /f/, '--force')) return undefined
  const folders = temporaryFolders()
  const outside = targets.find(
    ({ paths }) =>
      paths.length === 0 ||
      !paths.every((path) =>
        folders.some((folder) => !workspace.paths.isSame(path, folder) && workspace.paths.isWithin(path, folder)),
      ),
  )
  return outside && `Deletes ${outside.word.text} with everything in it, without asking.`
}

/** `find ROOT -delete` and the like; inside the project, also when no name limits what is deleted. */
export function dangerousFind(rest: readonly Word[], around: CommandContext): string | undefined {
  const start = rest.findIndex((word) => word.known && /^[-(!]/.test(word.text) && !/^-[HLPDO]/.test(word.text))
  const expression = start < 0 ? [] : rest.slice(start).map(({ text }) => text)
  const removes = expression.some(
    (text, index) =>
      text === '-delete' ||
      (/^-(?:exec|execdir|ok|okdir)$/.test(text) &&
        expression.slice(index + 1, index + 8).some((each) => /(?:^|\/)(?:rm|rmdir|unlink|shred)$/.test(each))),
  )
  if (!removes) return undefined
  const isNarrow = expression.some(
    (text, index) =>
      /^-(?:i?name|i?path|i?wholename|i?regex)$/.test(text) && /[^*?.[\]/]/.test(expression[index + 1] ?? ''),
  )
  const folders = (start < 0 ? rest : rest.slice(0, start)).filter((word) => !word.text.startsWith('-'))
  for (const word of folders.length > 0 ? folders : [{ text: '.', known: true }]) {
    const paths = folders.length > 0 ? wholePaths(word, around) : [around.workspace.root]
    if (!paths) return `Deletes files under ${word.text}, and what that is will only be known when it runs.`
    const lost = paths
      .map((path) => (isNarrow ? systemRoot(path, around.workspace) : systemOrProjectRoot(path, around.workspace)))
      .find((each) => each !== undefined)
    if (lost !== undefined)
      return isNarrow ? `Deletes files everywhere under ${lost}.` : `Deletes everything under ${lost}.`
  }
  return undefined
}

/** `mv` of the project, the home folder or a system folder. */
export function dangerousMove(rest: readonly Word[], around: CommandContext): string | undefined {
  for (const word of rest.filter(({ text }) => !text.startsWith('-')).slice(0, -1)) {
    const lost = (wholePaths(word, around) ?? [])
      .map((path) => systemOrProjectRoot(path, around.workspace))
      .find((each) => each !== undefined)
    if (lost !== undefined) return `Moves everything under ${lost}.`
  }
  return undefined
}

/** `chmod`, `chown` and `chgrp` of everything in the home folder or a system folder. */
export function dangerousChmod(program: string, rest: readonly Word[], around: CommandContext): string | undefined {
  if (!hasOption(rest, /R/, '--recursive')) return undefined
  const [, ...operands] = rest.filter((word) => !(word.known && /^-[a-zA-Z-]*$/.test(word.text)))
  for (const word of operands) {
    const paths = wholePaths(word, around)
    const lost = paths?.map((path) => systemRoot(path, around.workspace)).find((each) => each !== undefined)
    if (lost !== undefined) return `Changes who may use everything under ${lost}.`
    if (!paths)
      return (
        `${program} changes who may use everything under ${word.text}, ` +
        'and what that is will only be known when it runs.'
      )
  }
  return undefined
}

/** A target of a command: the word, and the real paths it may refer to (empty when known only at run time). */
export interface Target {
  word: Word
  paths: readonly string[]
}

/** The context for judging dangerous commands. */
export interface CommandContext {
  targets: readonly Target[]
  /** Its root is the project folder. */
  workspace: Pick<Workspace, 'root' | 'paths' | 'userHome'>
  /** Variables of this command that hold the process number of a process it started itself (`pid=$!`). */
  children: ReadonlySet<string>
}

const SYSTEM =
  /^\/(?:etc|usr|bin|sbin|lib\w*|var|opt|boot|root|home|srv|sys|proc|dev|run|mnt|media|Users|System|Library|Applications|private|Volumes)?(?:\/(?:bin|sbin|lib\w*|local|share|etc|log|include))?$/

/** The Windows equivalent: a drive, and the folders on it that hold the system, its programs or all users. */
const WINDOWS_SYSTEM =
  /^[a-z]:\/(?:windows(?:\/(?:system32|syswow64))?|program files(?: \(x86\))?|programdata|users(?:\/(?:public|all users|default))?|\$recycle\.bin|system volume information|recovery|boot)?$/i
/** A network share. */
const SHARE = /^\/\/[^/]+(?:\/[^/]+)?$/

/**
 * What would be lost along with everything below this path: a system folder, the home folder, or a folder that contains
 * them; undefined otherwise.
 */
function systemRoot(path: string, { paths, userHome }: CommandContext['workspace']): string | undefined {
  const home = real(userHome)
  if (path === '/') return '/'
  if (paths.isSame(path, home)) return '~'
  const text = paths.comparable(path)
  const isSystem =
    paths.platform === 'win32' ? WINDOWS_SYSTEM.test(text) || SHARE.test(text) : SYSTEM.test(path) || SYSTEM.test(text)
  return isSystem || paths.isWithin(home, path) ? path : undefined
}

/** The same, plus the project and its parent folders. */
function systemOrProjectRoot(path: string, workspace: CommandContext['workspace']): string | undefined {
  const { paths, root } = workspace
  return (
    systemRoot(path, workspace) ??
    (paths.isWithin(root, path) ? (paths.isSame(path, root) ? 'the project' : path) : undefined)
  )
}

/**
 * The paths a word refers to, as far as known; also for `$HOME`, `${PWD}` and patterns such as `/*`, which cover
 * everything there.
 */
function wholePaths(word: Word, { targets, workspace }: CommandContext): string[] | undefined {
  const found = targets.find((target) => target.word === word)
  if (word.known) return found ? [...found.paths] : []
  if (word.glob) {
    const whole = /(?:^|\/)(?:\.?[*?]+|\.\[[^\]]*\]\*|\[[!^][^\]]*\]\*)$/.test(word.text)
    if (!whole) return []
    // The folder itself counts too: everything in it is affected, no matter what it contains now.
    const paths = found?.paths ?? []
    return [...new Set([...paths, ...paths.map((path) => workspace.paths.path.dirname(path))])]
  }
  const text = word.text
    .replace(/["']/g, '')
    .replace(/\$(?:HOME\b|\{HOME\})/g, () => real(workspace.userHome))
    .replace(/\$(?:PWD\b|\{PWD\})/g, () => workspace.root)
  if (/[$`{]/.test(text)) return undefined
  return [text.replace(/\/(?:\.?\*)?$/, '') || '/']
}

/** Temporary folders. */
function temporaryFolders(): string[] {
  return ['/tmp', '/var/tmp', '/private/tmp', tmpdir()].map(real)
}

function real(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
