import { FROM_STDIN, pathBytes, pathList } from '../repository/git-path'
import type { OpenRepository } from '../repository/open-repository'
import type { GitPath } from '../../../../shared/model/git'

const MAX_BYTES = 256 * 1024 * 1024

/**
 * Adds files as they are now to the index: changed, new or deleted; default: everything. `git add` looks for changes inside
 * of submodules, whatever it is told, and so would use their settings and filters: they are added by their commits instead.
 */
export async function addToIndex(repository: OpenRepository, paths?: readonly GitPath[]): Promise<void> {
  const submodules = await submodulePaths(repository)
  const wanted = paths?.map((path) => pathBytes(path).toString('latin1'))
  const chosen = submodules.filter(
    (path) => !wanted || wanted.some((one) => one === path || path.startsWith(`${one}/`)),
  )
  const files = paths?.filter((path) => !submodules.includes(pathBytes(path).toString('latin1')))
  if (files === undefined || files.length > 0) {
    const all = files === undefined ? Buffer.from(':(top)\0') : pathList(files)
    const without = chosen.map((path) => `:(top,literal,exclude)${path}\0`).join('')
    const input = Buffer.concat([all, Buffer.from(without, 'latin1')])
    await repository.write(['add', '--all', ...FROM_STDIN], { input })
  }
  if (chosen.length === 0) return
  const input = Buffer.from(chosen.map((path) => `${path}\0`).join(''), 'latin1')
  await repository.write(['update-index', '-z', '--add', '--remove', '--stdin'], { input })
}

/** Paths of submodules in the index, each byte a character. */
async function submodulePaths(repository: OpenRepository): Promise<string[]> {
  const { stdout } = await repository.read(['ls-files', '--stage', '-z'], { maxBytes: MAX_BYTES })
  if (!stdout.includes('160000 ')) return []
  const lines = stdout.toString('latin1').split('\0')
  return [...new Set(lines.flatMap((line) => /^160000 [0-9a-f]+ \d\t([^]*)$/.exec(line)?.[1] ?? []))]
}
