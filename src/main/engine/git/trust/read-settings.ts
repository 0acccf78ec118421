import { statSync } from 'node:fs'
import { dirname, isAbsolute, join } from 'node:path'
import { readPlainFile } from '../../workspace/path/plain-file'
import { parseSettings, type Setting } from './parse-settings'
import { errorCode } from '../../../../shared/error-text'

/** A setting of a repository, and the file that contains it. */
export interface FoundSetting extends Setting {
  file: string
  /** It applies only under a condition. */
  isConditional: boolean
}

/** The settings of a repository, with all included files. */
export interface FoundSettings {
  settings: FoundSetting[]
  /** Every file that was or would be read, with its bytes; undefined if missing. */
  files: Map<string, Buffer | undefined>
  /** Why the settings are not completely known, as a sentence. */
  problem?: string
}

const MAX_FILE_BYTES = 512 * 1024
const MAX_BYTES = 4 * 1024 * 1024
/** Far more than needed in practice. */
const MAX_FILES = 64
const INCLUDE = /^include(?:if\.[^]*)?\.path$/

/**
 * Reads settings without git, with included files even if their condition does not hold now. `userHome`: the meaning of
 * `~`.
 */
export function readSettings(starts: readonly string[], userHome: string): FoundSettings {
  const found: FoundSettings = { settings: [], files: new Map() }
  let bytes = 0
  const read = (file: string, isConditional: boolean): void => {
    if (found.problem !== undefined || found.files.has(file)) return
    if (found.files.size >= MAX_FILES) return void (found.problem = 'Its settings include too many files.')
    const content = contentOf(file)
    if (typeof content === 'string') return void (found.problem = content)
    found.files.set(file, content)
    if (!content) return
    bytes += content.length
    if (bytes > MAX_BYTES) return void (found.problem = 'Its settings are too long.')
    const settings = parseSettings(content.toString('latin1'))
    if (!settings) return void (found.problem = `The settings in ${file} cannot be read.`)
    for (const setting of settings) {
      found.settings.push({ ...setting, file, isConditional })
      if (!INCLUDE.test(setting.key)) continue
      const path = settingPath(setting.value, { folder: dirname(file), userHome })
      if (path === undefined) return void (found.problem = `It is not known which file ${setting.key} includes.`)
      read(path, isConditional || setting.key !== 'include.path')
    }
  }
  for (const file of starts) read(file, false)
  return found
}

/**
 * The path that a setting names, relative to `folder`; undefined if only git knows it. `latin1`: the bytes of the
 * value.
 */
export function settingPath(
  latin1: string,
  { folder, userHome }: { folder: string; userHome: string },
): string | undefined {
  const path = Buffer.from(latin1, 'latin1').toString('utf8')
  if (path === '' || path.includes('\ufffd') || path.includes('\0')) return undefined
  if (path === '~' || path.startsWith('~/')) return userHome === '' ? undefined : join(userHome, path.slice(1))
  if (path.startsWith('~') || path.startsWith('%(')) return undefined
  return isAbsolute(path) ? path : join(folder, path)
}

function contentOf(file: string): Buffer | string | undefined {
  try {
    const stat = statSync(file, { throwIfNoEntry: false })
    if (!stat) return undefined
    if (!stat.isFile()) return `${file} is not a plain file.`
    if (stat.size > MAX_FILE_BYTES) return `The settings in ${file} are too long.`
    return readPlainFile(file, MAX_FILE_BYTES) ?? `The settings in ${file} cannot be read.`
  } catch (error) {
    const code = errorCode(error)
    return code === 'ENOTDIR' ? undefined : `The settings in ${file} cannot be read.`
  }
}
