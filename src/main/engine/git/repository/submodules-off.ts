import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { isUtf8 } from 'node:buffer'
import { CodedError } from '../../../../shared/errors'
import type { RunGit } from '../run/run-git'
import { parseSettings } from '../trust/parse-settings'
import type { Repository } from '../run/find-repository'
import { readPlainFile } from '../../workspace/path/plain-file'

const LIST = '.gitmodules'
const MAX_BYTES = 4 * 1024 * 1024
const MAX_SUBMODULES = 2_000

/**
 * Variables that keep git from looking for changes inside submodules: it would use those repositories' settings and run
 * their filters, about which the user was not asked. `.gitmodules` can request that for each submodule and overrides
 * the general setting, so each one is named. Rejects with `git.untrusted` when the list cannot be read.
 *
 * `write`: also if the list is only in the index or the last commit. Reading commands get an argument instead.
 */
export async function submodulesOff(
  repository: Repository,
  run: RunGit,
  { write }: { write: boolean },
): Promise<Record<string, string>> {
  if (repository.bare) return {}
  const texts = await lists(repository, run, write)
  const names = new Set<string>()
  for (const text of texts) {
    const settings = parseSettings(text)
    if (!settings) throw refused(repository, `${LIST} cannot be read`)
    for (const { key } of settings) {
      const name = /^submodule\.([^]*)\.[^.]+$/.exec(key)?.[1]
      if (name !== undefined) names.add(name)
    }
  }
  if (names.size > MAX_SUBMODULES) throw refused(repository, `it has more than ${MAX_SUBMODULES} submodules`)
  const env: Record<string, string> = names.size === 0 ? {} : { GIT_CONFIG_COUNT: String(names.size) }
  for (const [at, name] of [...names].entries()) {
    const bytes = Buffer.from(name, 'latin1')
    if (!isUtf8(bytes) || name.includes('\0')) throw refused(repository, 'the name of a submodule is not UTF-8 text')
    env[`GIT_CONFIG_KEY_${at}`] = `submodule.${bytes.toString('utf8')}.ignore`
    env[`GIT_CONFIG_VALUE_${at}`] = 'dirty'
  }
  return env
}

/** The lists of submodules that git may use, as latin1. */
async function lists(repository: Repository, run: RunGit, write: boolean): Promise<string[]> {
  const file = join(repository.top, LIST)
  if (lstatSync(file, { throwIfNoEntry: false })) {
    const bytes = readPlainFile(file, MAX_BYTES)
    if (!bytes) throw refused(repository, `${LIST} is not a plain file, or too long`)
    return [bytes.toString('latin1')]
  }
  if (!write) return []
  const { stdout } = await run({
    args: ['cat-file', '--batch'],
    input: `:${LIST}\nHEAD:${LIST}\n`,
    level: 'trusted',
    repository,
    maxBytes: MAX_BYTES,
    okCodes: [0, 128],
  })
  return blobsOf(stdout)
}

/** The blobs that `git cat-file --batch` printed, as latin1. Names without an object have a line without a size. */
function blobsOf(printed: Buffer): string[] {
  const blobs: string[] = []
  for (let at = 0; at < printed.length;) {
    const end = printed.indexOf(10, at)
    if (end < 0) break
    const [, type, size] = /^[0-9a-f]+ (\w+) (\d+)$/.exec(printed.toString('latin1', at, end)) ?? []
    at = end + 1
    if (size === undefined) continue
    if (type === 'blob') blobs.push(printed.toString('latin1', at, at + Number(size)))
    at += Number(size) + 1
  }
  return blobs
}

function refused({ top }: Repository, why: string): CodedError {
  return new CodedError('git.untrusted', `Git would look into the submodules of ${top}: ${why}.`)
}
