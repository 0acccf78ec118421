import { existsSync } from 'node:fs'
import type { TextMatch, TextMatches, TextQuery } from '../../../../shared/model/project/file-view'
import { openRegular } from '../../workspace/file/open-file'
import { isOpenedAt, replacedProblem } from '../../workspace/file/pinned-folder'
import { runRipgrep, searchFailure } from '../../workspace/ripgrep/run-ripgrep'
import type { TextDocument } from './text-document'

/** Maximum number of matches with positions; all matches are counted. */
const MAX_MATCHES = 20_000
const MAX_BYTES = 8 * 1024 * 1024
const TIMEOUT_MS = 20_000

/** The file to search. */
export interface SearchedFile {
  realPath: string
  shown: string
  document: Pick<TextDocument, 'encoding'>
}

/**
 * Searches a whole file, however large. The search runs in ripgrep: it takes no memory here, and no pattern can cause
 * runaway backtracking. `problem`: why the pattern is invalid. Throws a `FileProblem` of kind `changed` if the file has
 * been replaced.
 */
export async function findInFile(file: SearchedFile, query: TextQuery, signal?: AbortSignal): Promise<TextMatches> {
  if (query.text === '') return { matches: [], count: 0 }
  const { realPath, shown } = file
  const { handle } = await openRegular(realPath, shown)
  try {
    // The open file, whatever is at its path by now.
    const held = `/proc/${process.pid}/fd/${handle.fd}`
    const place = existsSync(held) ? held : realPath
    const matches = await search(file, { place, query, ...(signal && { signal }) })
    if (place === realPath && !isOpenedAt(handle.fd, realPath)) throw replacedProblem(shown)
    return matches
  } finally {
    await handle.close()
  }
}

async function search(
  { document }: SearchedFile,
  { place, query, signal }: { place: string; query: TextQuery; signal?: AbortSignal },
): Promise<TextMatches> {
  const encoding = document.encoding === 'windows-1252' ? ['--encoding', 'windows-1252'] : []
  const args = [
    '--no-heading',
    '--no-filename',
    '--color=never',
    '--text',
    '--crlf',
    ...encoding,
    query.caseSensitive ? '--case-sensitive' : '--ignore-case',
    ...(query.regularExpression ? [] : ['--fixed-strings']),
    ...(query.wholeWords ? ['--word-regexp'] : []),
    '--regexp',
    query.text,
  ]
  const run = (more: readonly string[]) =>
    runRipgrep([...more, ...args, '--', place], {
      cwd: '/',
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      ...(signal && { signal }),
    })
  const found = await run(['--only-matching', '--line-number', '--column'])
  const failure = searchFailure(found)
  if (failure !== undefined && found.exitCode !== 1)
    return { matches: [], count: 0, problem: patternProblem(found.errors) }
  const matches = parseMatches(found.output)
  const isWhole = found.stopped === undefined && matches.length <= MAX_MATCHES
  if (isWhole) return { matches, count: matches.length }
  const counted = await run(['--count-matches'])
  const count = Number.parseInt(counted.output.toString('utf8'), 10)
  return {
    matches: matches.slice(0, MAX_MATCHES),
    count: Number.isFinite(count) ? count : matches.length,
    ...(counted.stopped !== undefined && { problem: 'The file is too large to find every match.' }),
  }
}

const COLON = 58
const LF = 10
const CR = 13

/** Lines `line:column:text`; the column is in bytes, from 1. */
function parseMatches(output: Buffer): TextMatch[] {
  const matches: TextMatch[] = []
  for (let at = 0; at < output.length && matches.length <= MAX_MATCHES;) {
    const end = output.indexOf(LF, at)
    if (end < 0) break
    const first = output.indexOf(COLON, at)
    const second = output.indexOf(COLON, first + 1)
    if (first > at && second > first && second < end)
      matches.push({
        line: Number(output.toString('latin1', at, first)),
        at: Number(output.toString('latin1', first + 1, second)) - 1,
        // With `--crlf`, ripgrep prints every line with a CRLF; the CR is not part of the match.
        bytes: (output[end - 1] === CR ? end - 1 : end) - second - 1,
      })
    at = end + 1
  }
  return matches
}

/** The problem in a regular expression: the last line that ripgrep prints. */
function patternProblem(errors: string): string {
  const said = /error: (.*)/.exec(errors)?.[1]?.trim()
  return said === undefined || said === '' ? 'This is not a regular expression.' : `Not a regular expression: ${said}.`
}
