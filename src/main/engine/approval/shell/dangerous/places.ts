import { realpathSync } from 'node:fs'
import { tmpdir } from 'node:os'
import type { Workspace } from '../../../workspace/workspace'
import type { Word } from '../shell-syntax'

/** A target of a command: the word, and the real paths it may mean (none when that is only known when it runs). */
export interface Target {
  word: Word
  paths: readonly string[]
}

/** What dangerous commands are judged by, beside their words. */
export interface Surroundings {
  targets: readonly Target[]
  /** Whose root is the project. */
  workspace: Pick<Workspace, 'root' | 'paths' | 'userHome'>
  /** Variables of this command that hold the number of a process it started itself (`pid=$!`). */
  children: ReadonlySet<string>
}

const SYSTEM =
  /^\/(?:etc|usr|bin|sbin|lib\w*|var|opt|boot|root|home|srv|sys|proc|dev|run|mnt|media|Users|System|Library|Applications|private|Volumes)?(?:\/(?:bin|sbin|lib\w*|local|share|etc|log|include))?$/

/** The same on Windows: a drive, and the folders in it that hold the system, its programs or all users. */
const WINDOWS_SYSTEM =
  /^[a-z]:\/(?:windows(?:\/(?:system32|syswow64))?|program files(?: \(x86\))?|programdata|users(?:\/(?:public|all users|default))?|\$recycle\.bin|system volume information|recovery|boot)?$/i
/** A share of a server. */
const SHARE = /^\/\/[^/]+(?:\/[^/]+)?$/

/** What is lost when everything below this path is: a folder of the system, the home folder, or one that holds them; undefined for others. */
export function systemRoot(path: string, { paths, userHome }: Surroundings['workspace']): string | undefined {
  const home = real(userHome)
  if (path === '/') return '/'
  if (paths.isSame(path, home)) return '~'
  const text = paths.comparable(path)
  const isSystem = paths.platform === 'win32' ? WINDOWS_SYSTEM.test(text) || SHARE.test(text) : SYSTEM.test(path) || SYSTEM.test(text)
  return isSystem || paths.isWithin(home, path) ? path : undefined
}

/** The same, and the project and the folders it lies in. */
export function precious(path: string, workspace: Surroundings['workspace']): string | undefined {
  const { paths, root } = workspace
  return systemRoot(path, workspace) ?? (paths.isWithin(root, path) ? (paths.isSame(path, root) ? 'the project' : path) : undefined)
}

/** The paths a word means, as far as they can be told: also of `$HOME`, `${PWD}` and patterns such as `/*`, which mean all that is there. */
export function wholePaths(word: Word, { targets, workspace }: Surroundings): string[] | undefined {
  const found = targets.find((target) => target.word === word)
  if (word.known) return found ? [...found.paths] : []
  if (word.glob) {
    const whole = /(?:^|\/)(?:\.?[*?]+|\.\[[^\]]*\]\*|\[[!^][^\]]*\]\*)$/.test(word.text)
    if (!whole) return []
    // Also the folder itself: everything in it is meant, whatever there is now.
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

/** Folders for temporary files. */
export function temporaryFolders(): string[] {
  return ['/tmp', '/var/tmp', '/private/tmp', tmpdir()].map(real)
}

function real(folder: string): string {
  try {
    return realpathSync(folder)
  } catch {
    return folder
  }
}
