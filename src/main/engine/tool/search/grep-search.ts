import { relative } from 'node:path'
import { FileProblem } from '../../workspace/path/file-problem'
import { literalPattern } from '../../workspace/ripgrep/literal-pattern'
import { ripgrepPath, runRipgrep, type RipgrepOptions, type RipgrepRun } from '../../workspace/ripgrep/run-ripgrep'
import type { SearchScope } from '../../workspace/ripgrep/search-scope'
import type { SmallRun, SmallSearcher } from '../../workspace/ripgrep/small-search'
import type { GrepInput } from './grep-input'
import { possiblyMoved, seeingOnly } from './search-in-place'
import type { SearchAgain } from './search-report'

/** What is searched: ripgrep runs in `cwd` and is given `argument`. */
export interface SearchTarget {
  cwd: string
  argument: string
  folder: string
  isFile: boolean
}

/** A search that took less is made again as it was; of others only the files are searched that may have been moved. */
const SHORT_MS = 500
/** More files than this are not named one by one. */
const MAX_NAMED = 1_000
const AGAIN_MS = 5_000

/** The search of one call of Grep. Remembers how ripgrep was run last, so that it can be run again. */
export class GrepSearch {
  readonly #asked: GrepInput
  readonly #target: SearchTarget
  readonly #scope: SearchScope
  #last: { asked: GrepInput; options: RipgrepOptions; more: string[]; began: number; isShort: boolean } | undefined

  constructor(asked: GrepInput, target: SearchTarget, scope: SearchScope) {
    this.#asked = asked
    this.#target = target
    this.#scope = scope
  }

  /** Without ripgrep: literal text in a small folder. Undefined when ripgrep has to search. */
  withoutRipgrep(small: SmallSearcher, root: string, isSecret: (path: string) => boolean): SmallRun | undefined {
    const { multiline, type, glob, output_mode: mode = 'files_with_matches' } = this.#asked
    const { folder, cwd, isFile } = this.#target
    if (isFile || multiline || type !== undefined || (glob !== undefined && !PLAIN_GLOB.test(glob))) return undefined
    const pattern = literalPattern(this.#asked.pattern, this.#asked['-i'] ?? false)
    const isNegated = glob?.startsWith('!') === true
    const isInGlob = (path: string): boolean => this.#scope.matchesGlob(path)
    return (
      pattern &&
      small.search({
        folder,
        root,
        cwd,
        pattern,
        output: SMALL_OUTPUT[mode],
        before: this.#asked['-C'] ?? this.#asked['-B'] ?? 0,
        after: this.#asked['-C'] ?? this.#asked['-A'] ?? 0,
        includeIgnored: this.#asked.include_ignored ?? false,
        leavesOut: (path, isFolder) => (isFolder ? isNegated && !isInGlob(path) : isSecret(path) || !isInGlob(path)),
      })
    )
  }

  /** Runs ripgrep with `more` arguments; `asked` in the place of what the call asks for. */
  async run(options: RipgrepOptions, more: string[], asked = this.#asked): Promise<RipgrepRun> {
    const began = Date.now()
    const run = await search(asked, [this.#target.argument], this.#scope, options, more)
    this.#last = { asked, options, more, began, isShort: Date.now() - began < SHORT_MS }
    return run
  }

  /** Undefined when all was surely found where it is, or when this machine has no sandboxes. */
  async again(found: Iterable<string>, top: string): Promise<SearchAgain | undefined> {
    if (!this.#last) return undefined
    const { asked, options, more, began, isShort } = this.#last
    const all = [...found]
    const moved = possiblyMoved(all, top, began)
    const within = moved.size === 0 ? undefined : await seeingOnly(top, await ripgrepPath())
    if (!within) return undefined
    const { cwd, argument } = this.#target
    const isNamed = !isShort && moved.size <= MAX_NAMED
    const files = isNamed ? [...moved].map((path) => `./${relative(cwd, path)}`) : [argument]
    const timeoutMs = Math.max(AGAIN_MS, options.timeoutMs ?? 0)
    const run = await search(asked, files, this.#scope, { ...options, timeoutMs, within }, more)
    // It could not be started, so nothing is known of these files.
    if (/^bwrap: /m.test(run.errors)) throw new FileProblem('Folders were moved while they were searched. Call again.')
    return { moved: isNamed ? moved : new Set(all), run }
  }
}

/** ripgrep and `globMatcher` read these in the same way; of others ripgrep says what is wrong with them. */
const PLAIN_GLOB = /^!?(?:[\w.*?-]|\{[\w.*?-]+(?:,[\w.*?-]+)+\}|\/(?!$))+$/
const SMALL_OUTPUT = { files_with_matches: 'one', content: 'lines', count_matches: 'matches' } as const

function search(
  asked: GrepInput,
  files: readonly string[],
  scope: SearchScope,
  options: RipgrepOptions,
  more: string[] = [],
): Promise<RipgrepRun> {
  // `--regexp=` and `--` keep patterns and paths that begin with a dash from being options.
  return runRipgrep(
    [...scope.args, ...searchArgs(asked), ...more, `--regexp=${asked.pattern}`, '--', ...files],
    options,
  )
}

function searchArgs(asked: GrepInput): string[] {
  const args = ['--crlf']
  if (asked['-i']) args.push('--ignore-case')
  if (asked.multiline) args.push('--multiline', '--multiline-dotall')
  switch (asked.output_mode) {
    case 'content':
      return [
        ...args,
        '--line-number',
        '--column',
        '--with-filename',
        '--no-heading',
        '--no-context-separator',
        ...contextArgs(asked),
      ]
    case 'count_matches':
      return [...args, '--count-matches', '--with-filename']
    default:
      // The same as --files-with-matches, but with a line end after each path: only then does ripgrep pass it on at
      // once, so that it is there when time is up.
      return [...args, '--count', '--max-count=1', '--with-filename']
  }
}

export function contextArgs(asked: GrepInput): string[] {
  if (asked['-C'] !== undefined) return [`--context=${asked['-C']}`]
  return [
    ...(asked['-A'] === undefined ? [] : [`--after-context=${asked['-A']}`]),
    ...(asked['-B'] === undefined ? [] : [`--before-context=${asked['-B']}`]),
  ]
}
