import { relative } from 'node:path'
import { FileProblem } from '../../workspace/path/file-problem'
import { literalPattern } from '../../workspace/ripgrep/literal-pattern'
import { ripgrepPath, runRipgrep, type RipgrepOptions, type RipgrepRun } from '../../workspace/ripgrep/run-ripgrep'
import type { SearchScope } from '../../workspace/ripgrep/search-scope'
import type { SmallRun, SmallSearcher } from '../../workspace/ripgrep/small-search'
import type { GrepInput } from './grep-input'
import { possiblyMoved, seeingOnly } from './search-in-place'
import type { SearchAgain } from './search-report'

/** What is searched: ripgrep runs in `cwd` and searches the path `argument`. */
export interface SearchTarget {
  cwd: string
  argument: string
  folder: string
  isFile: boolean
}

/**
 * A search that took less than this, in ms, is repeated unchanged; after a longer one, only the files that may have
 * moved are searched again.
 */
const SHORT_MS = 500
/** Maximum number of files that are named one by one; with more, the search is repeated unchanged. */
const MAX_NAMED = 1_000
const AGAIN_MS = 5_000

/** The search of one Grep call. Remembers how ripgrep was last run, so that the search can be repeated. */
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

  /** Searches for literal text in a small folder, without ripgrep. Undefined when ripgrep has to search. */
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

  /** Runs ripgrep with `more` arguments; `asked` replaces the input of the call. */
  async run(options: RipgrepOptions, more: string[], asked = this.#asked): Promise<RipgrepRun> {
    const began = Date.now()
    const run = await search(asked, [this.#target.argument], this.#scope, options, more)
    this.#last = { asked, options, more, began, isShort: Date.now() - began < SHORT_MS }
    return run
  }

  /**
   * Repeats the search for what may have moved while it ran, in a sandbox that sees only `top`. Undefined when nothing
   * can have moved, or when this machine has no sandboxes.
   */
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
    // The sandbox could not be started, so nothing is known about these files.
    if (/^bwrap: /m.test(run.errors)) throw new FileProblem('Folders were moved while they were searched. Call again.')
    return { moved: isNamed ? moved : new Set(all), run }
  }
}

/** Globs that ripgrep and `globMatcher` interpret alike. All others are left to ripgrep, which reports invalid ones. */
const PLAIN_GLOB = /^!?(?:[\w.*?-]|\{[\w.*?-]+(?:,[\w.*?-]+)+\}|\/(?!$))+$/
const SMALL_OUTPUT = { files_with_matches: 'one', content: 'lines', count_matches: 'matches' } as const

function search(
  asked: GrepInput,
  files: readonly string[],
  scope: SearchScope,
  options: RipgrepOptions,
  more: string[] = [],
): Promise<RipgrepRun> {
  // `--regexp=` and `--` keep patterns and paths that start with a dash from being parsed as options.
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
      // Like --files-with-matches, but with a line break after each path: only then does ripgrep output it immediately,
      // so that it is available when time is up.
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
