import { CodedError } from '../../../../shared/errors'
import { gitPathText, type GitBlameRun, type GitPath } from '../../../../shared/model/project/git'
import type { OpenRepository } from '../repository/open-repository'

const LIMIT_MS = 60_000

/** Who last changed each run of lines of a file in the working tree. */
export async function blame(repository: OpenRepository, path: GitPath, signal?: AbortSignal): Promise<GitBlameRun[]> {
  if (path.startsWith('\0'))
    throw new CodedError('request.invalid', `${gitPathText(path)} has a name that is not text.`)
  const { stdout } = await repository.read(
    ['blame', '--porcelain', '--no-textconv', '--encoding=UTF-8', '--no-progress', '--', path],
    {
      timeoutMs: LIMIT_MS,
      ...(signal && { signal }),
    },
  )
  return parseBlame(stdout)
}

interface About {
  author: string
  at: number
  subject: string
}

/** Reads `git blame --porcelain`; the details of a commit are printed once. */
export function parseBlame(output: Buffer): GitBlameRun[] {
  const commits = new Map<string, About>()
  const runs: GitBlameRun[] = []
  let hash = ''
  let line = 0
  for (const text of output.toString('utf8').split('\n')) {
    const start = /^([0-9a-f]{40,64}) \d+ (\d+)/.exec(text)
    if (text.startsWith('\t')) {
      const about = commits.get(hash)
      const last = runs.at(-1)
      if (last && last.commit === hash && last.line + last.count === line) last.count += 1
      else if (about)
        runs.push({ line, count: 1, commit: hash, ...about, ...(/^0+$/.test(hash) && { uncommitted: true as const }) })
    } else if (start) {
      hash = start[1]!
      line = Number(start[2])
      if (!commits.has(hash)) commits.set(hash, { author: '', at: 0, subject: '' })
    } else {
      const about = commits.get(hash)
      if (!about) continue
      if (text.startsWith('author ')) about.author = text.slice(7)
      else if (text.startsWith('author-time ')) about.at = Number(text.slice(12)) * 1_000
      else if (text.startsWith('summary ')) about.subject = text.slice(8)
    }
  }
  return runs
}
