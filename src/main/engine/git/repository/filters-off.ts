import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { errorText } from '../../../../shared/error-text'
import { CodedError } from '../../../../shared/errors'
import { renameOverSync } from '../../workspace/file/atomic-write'
import type { RunGit } from '../run/run-git'
import type { Repository } from '../run/find-repository'

const MAX_BYTES = 4 * 1024 * 1024
/** The name is between the first and the last dot, and may contain dots. */
const FILTER = /^filter\.([^]*)\.([^.]+)$/
/** The filter settings that name a program. */
const PROGRAMS = new Set(['clean', 'smudge', 'process'])

/**
 * Settings that make git run no content filter in a repository, whatever its own settings say. Reading settings runs no
 * programs. Rejects with `git.untrusted` unless git itself confirms that every filter is off.
 *
 * Filter names can contain any bytes except line breaks. Arguments cannot hold all of these, so the settings are in a
 * file that git includes after all others.
 */
export async function filtersOff(repository: Repository, run: RunGit, folder: string): Promise<string[]> {
  const list = async (args: string[], settings: string[]): Promise<string[]> => {
    const given = { level: 'trusted', repository, maxBytes: MAX_BYTES, settings } as const
    const { stdout } = await run({ ...given, args: ['config', '--null', '--list', ...args] }).catch(
      (error: unknown) => {
        throw refused(repository, errorText(error))
      },
    )
    return stdout.toString('latin1').split('\0').slice(0, -1)
  }
  const names = new Set((await list(['--name-only'], [])).flatMap((key) => FILTER.exec(key)?.[1] ?? []))
  if (names.size === 0) return []
  const settings = [`include.path=${settingsFile(folder, names)}`]
  const last = new Map<string, string | undefined>()
  for (const entry of await list([], settings)) {
    const end = entry.indexOf('\n')
    last.set(end < 0 ? entry : entry.slice(0, end), end < 0 ? undefined : entry.slice(end + 1))
  }
  for (const [key, value] of last) {
    const setting = FILTER.exec(key)?.[2]
    if (setting !== undefined && PROGRAMS.has(setting) && value !== '')
      throw refused(repository, `${Buffer.from(key, 'latin1').toString('utf8')} could not be turned off`)
  }
  return settings
}

/** Our file with settings that turn filters off; the same filters share a file. */
function settingsFile(folder: string, names: ReadonlySet<string>): string {
  const text = [...names]
    .toSorted()
    .map(
      (name) =>
        `[filter "${name.replaceAll(/["\\]/g, '\\$&')}"]\n\tclean =\n\tsmudge =\n\tprocess =\n\trequired = false\n`,
    )
    .join('')
  const bytes = Buffer.from(text, 'latin1')
  const file = join(folder, `filters-off-${createHash('sha256').update(bytes).digest('hex').slice(0, 32)}`)
  if (existsSync(file)) return file
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const temporary = `${file}.${process.pid}.tmp`
  writeFileSync(temporary, bytes, { mode: 0o600 })
  renameOverSync(temporary, file)
  return file
}

function refused({ top }: Repository, why: string): CodedError {
  return new CodedError('git.untrusted', `The content filters of ${top} could not be turned off: ${why}.`)
}
