import { realpathSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { isWithin } from '../../paths'
import type { Word } from '../shell-syntax'

/** A target of a command: the word, and the real paths it may mean (none when that is only known when it runs). */
export interface Target {
  word: Word
  paths: readonly string[]
}

/** What dangerous commands are judged by, beside their words. */
export interface Surroundings {
  targets: readonly Target[]
  /** Real path of the project. */
  project: string
  /** Variables of this command that hold the number of a process it started itself (`pid=$!`). */
  children: ReadonlySet<string>
}

const SYSTEM =
  /^\/(?:etc|usr|bin|sbin|lib\w*|var|opt|boot|root|home|srv|sys|proc|dev|run|mnt|media|Users|System|Library|Applications|private|Volumes)?(?:\/(?:bin|sbin|lib\w*|local|share|etc|log|include))?$/

/** What is lost when everything below this path is: a folder of the system, the home folder, or one that holds them; undefined for others. */
export function systemRoot(path: string): string | undefined {
  const home = realHome()
  if (path === '/') return '/'
  if (path === home) return '~'
  return SYSTEM.test(path) || isWithin(home, path) ? path : undefined
}

/** The same, and the project and the folders it lies in. */
export function precious(path: string, project: string): string | undefined {
  return systemRoot(path) ?? (isWithin(project, path) ? (path === project ? 'the project' : path) : undefined)
}

/** The paths a word means, as far as they can be told: also of `$HOME`, `${PWD}` and patterns such as `/*`, which mean all that is there. */
export function wholePaths(word: Word, { targets, project }: Surroundings): string[] | undefined {
  const found = targets.find((target) => target.word === word)
  if (word.known) return found ? [...found.paths] : []
  if (word.glob) {
    const whole = /(?:^|\/)(?:\.?[*?]+|\.\[[^\]]*\]\*|\[[!^][^\]]*\]\*)$/.test(word.text)
    if (!whole) return []
    // Also the folder itself: everything in it is meant, whatever there is now.
    const paths = found?.paths ?? []
    return [...new Set([...paths, ...paths.map((path) => dirname(path))])]
  }
  const text = word.text
    .replace(/["']/g, '')
    .replace(/\$(?:HOME\b|\{HOME\})/g, realHome())
    .replace(/\$(?:PWD\b|\{PWD\})/g, project)
  if (/[$`{]/.test(text)) return undefined
  return [text.replace(/\/(?:\.?\*)?$/, '') || '/']
}

export function realHome(): string {
  return real(homedir())
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
