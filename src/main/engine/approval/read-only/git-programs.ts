import type { Word } from '../../permission/shell-syntax'
import {
  has,
  options,
  parseWords,
  valuesOf,
  type Kind,
  type Parsed,
  type ReadPath,
  type RepositoryRead,
} from './program-grammar'

/** What git prints about commits without file contents. */
const NAMES_ONLY = `--stat[=text] --shortstat --numstat --name-only --name-status --summary --dirstat[=text] --raw -s
  --no-patch --compact-summary -M[text] -C[text] --find-renames[=text] --find-copies[=text] --no-renames
  --diff-filter=text --relative[=text] -z --color[=text] --no-color --no-ext-diff --no-textconv --abbrev[=number]
  --exit-code --quiet -R --full-index --text -a -w -b --ignore-all-space --ignore-space-change --ignore-blank-lines
  -S=text -G=text --pickaxe-regex --pickaxe-all --ignore-submodules[=text]`
const PATCH = `-p -u --patch -U=number --unified=number --patch-with-stat -c --cc --word-diff[=text]
  --color-words[=text] -W --function-context --histogram --minimal --patience --diff-algorithm=text
  --inter-hunk-context=number --color-moved[=text] --check`
const COMMITS = `--oneline --graph --decorate[=text] --no-decorate --all --branches[=text] --tags[=text]
  --remotes[=text] -n=number -NUM --max-count=number --skip=number --since=text --after=text --until=text
  --before=text --author=text --committer=text --grep=text -i --regexp-ignore-case -E -F --extended-regexp
  --fixed-strings --all-match --invert-grep --merges --no-merges --first-parent --follow --reverse --date=text
  --pretty[=format] --format=format --abbrev-commit --no-abbrev-commit --topo-order --date-order --left-right
  --cherry-pick --cherry-mark --cherry --boundary --simplify-by-decoration --ancestry-path --full-history --source
  --relative-date --no-walk -g --walk-reflogs --parents --children --not -L=lines`
/** `%G` and `%(signature)` start the program that verifies signatures. */
const KINDS: Readonly<Record<string, Kind>> = {
  format: /^(?![\s\S]*(?:%G|%\(signature))/,
  lines: /^\d*,[-+]?\d*:[^:]+$|^\d+,\d+$/,
}
const LISTS_REFS = `-l --list -a --all -r --remotes -v --verbose --merged[=text] --no-merged[=text] --contains=text
  --show-current --sort=text --format=format --column[=text] --no-column --color[=text] --no-color --points-at=text -i
  --ignore-case -n[number]`
const PATCH_OPTIONS = PATCH.split(/\s+/)
  .filter((option) => option !== '--check')
  .map((option) => option.replace(/[[=].*$/, ''))
const QUIET_OPTIONS = (
  '--stat --shortstat --numstat --name-only --name-status --summary ' +
  '--dirstat --raw -s --no-patch --compact-summary --quiet'
).split(' ')

/** A git command: its options, and what it prints from the repository. */
interface GitCommand {
  options: string
  least?: number
  most?: number
  /** The allowed first words; any others ask. */
  first?: RegExp
  prints(parsed: Parsed): Printed | undefined
}

interface Printed {
  contents: RepositoryRead['contents']
  /** The only files whose contents are printed. */
  only?: readonly Word[]
  /** Words that are revisions or files. */
  revisions?: readonly Word[]
  addresses?: true
  entersSubmodules?: true
}

const names = (): Printed => ({ contents: 'none' })

/** Whether the words request patches; `otherwise`: the default of the command. */
function printsPatch(parsed: Parsed, otherwise: boolean): boolean {
  if (has(parsed, ...PATCH_OPTIONS, '--check', '-L')) return true
  return otherwise && !has(parsed, ...QUIET_OPTIONS)
}

/** The revisions before `--`, and the files after it. */
function named({ operands, beforeDashes }: Parsed, from = 0): { revisions: readonly Word[]; only: readonly Word[] } {
  return { revisions: operands.slice(from, beforeDashes), only: operands.slice(Math.max(from, beforeDashes)) }
}

/** The file in `-L 1,10:file`. */
function lineFiles(parsed: Parsed): Word[] {
  return valuesOf(parsed, '-L').flatMap((value) =>
    value.includes(':') ? [{ text: value.slice(value.indexOf(':') + 1), known: true }] : [],
  )
}

function history(parsed: Parsed, otherwise: boolean): Printed {
  if (!printsPatch(parsed, otherwise)) return { contents: 'none' }
  const lines = lineFiles(parsed)
  return { contents: 'history', ...(lines.length > 0 ? { only: lines } : named(parsed)) }
}

/** `REVISION:path`, or undefined for words that name no file. */
function fileOf({ text, known }: Word): Word | undefined {
  const path = /^(?:[\w./~^@-]+|:[0-3]|):(?!\/)([^:]+)$/.exec(text)?.[1]
  return known && path !== undefined ? { text: path, known } : undefined
}

const LOG: GitCommand = { options: `${NAMES_ONLY} ${PATCH} ${COMMITS}`, prints: (parsed) => history(parsed, false) }

const COMMANDS: Readonly<Record<string, GitCommand>> = Object.assign(Object.create(null), {
  status: {
    options: `-s -b -u[text] -z -v --short --branch --show-stash --porcelain[=text] --long --untracked-files[=text]
      --ignored[=text] --column[=text] --no-column --ahead-behind --no-ahead-behind --renames --no-renames
      --ignore-submodules[=text]`,
    // -v prints the staged changes.
    prints: (parsed) => ({
      contents: has(parsed, '-v') ? 'history' : 'none',
      only: named(parsed).only,
      entersSubmodules: true,
    }),
  },
  log: LOG,
  show: {
    options: LOG.options,
    prints: (parsed) => {
      const { revisions } = named(parsed)
      const files = revisions.map(fileOf)
      if (files.length > 0 && files.every((file) => file !== undefined)) return { contents: 'history', only: files }
      if (revisions.some(({ text }) => text.includes(':'))) return undefined
      return history(parsed, true)
    },
  },
  diff: {
    options: `${NAMES_ONLY} ${PATCH} --cached --staged --merge-base -1 -2 -3 --ours --theirs --base`,
    prints: (parsed) => {
      if (!printsPatch(parsed, true)) return { contents: 'none', entersSubmodules: true }
      // Without revisions, it compares tracked files with the working tree.
      const contents = has(parsed, '--cached', '--staged', '--merge-base') ? 'history' : 'tracked'
      return { contents, ...named(parsed), entersSubmodules: true }
    },
  },
  'diff-tree': {
    options: `${NAMES_ONLY} ${PATCH} -r -t --root --no-commit-id -m`,
    prints: (parsed) => history(parsed, false),
  },
  shortlog: {
    options: '-s -n -e -c --summary --numbered --email --since=text --until=text --no-merges --all',
    least: 1,
    prints: names,
  },
  'rev-parse': {
    options: `--abbrev-ref[=text] --short[=number] --verify -q --quiet --show-toplevel --show-prefix --show-cdup
      --git-dir --git-common-dir --absolute-git-dir --is-inside-work-tree --is-inside-git-dir --is-bare-repository
      --is-shallow-repository --symbolic-full-name --symbolic --all --branches[=text] --tags[=text] --remotes[=text]
      --sq --revs-only --no-revs --flags --no-flags --show-object-format[=text]`,
    prints: names,
  },
  'rev-list': { options: `${COMMITS} --count --objects --disk-usage`, prints: names },
  'ls-files': {
    options: `-c -d -m -o -s -t -u -z -v --cached --deleted --modified --others --stage --unmerged --ignored -i
      --exclude-standard -x=text --exclude=text --error-unmatch --full-name --directory --no-empty-directory --eol
      --abbrev[=number] --deduplicate`,
    prints: names,
  },
  'ls-tree': {
    options: '-d -r -t -l -z --long --name-only --name-status --object-only --full-name --full-tree --abbrev[=number]',
    prints: names,
  },
  'merge-base': { options: '-a --all --octopus --is-ancestor --fork-point --independent', prints: names },
  'cat-file': {
    options: '-t -s -e -p',
    least: 1,
    prints: (parsed) => {
      if (has(parsed, '-t', '-s', '-e')) return has(parsed, '-p') ? undefined : names()
      const [object, ...more] = parsed.operands.slice(has(parsed, '-p') ? 0 : 1)
      const file = object && fileOf(object)
      return file && more.length === 0 ? { contents: 'history', only: [file] } : undefined
    },
  },
  'name-rev': { options: '--name-only --tags --all --always --no-undefined', prints: names },
  describe: {
    options:
      '--tags --all --always --long --exact-match --abbrev=number --match=text ' +
      '--exclude=text --contains --first-parent --candidates=number',
    prints: names,
  },
  blame: {
    options:
      '-b -c -e -f -l -n -s -t -w -M[text] -C[text] -L=lines --root ' +
      '--date=text --abbrev=number --porcelain -p --line-porcelain --show-email',
    least: 1,
    prints: (parsed) => {
      const file = parsed.operands.at(-1)
      return file && (named(parsed).only.length === 1 || parsed.operands.length === 1)
        ? { contents: 'history', only: [file] }
        : undefined
    },
  },
  grep: {
    options: `-NUM -i -I -n -l -L -c -h -H -o -q -w -v -E -F -G -P -W -p -z -e=text -A=number -B=number -C=number
      --ignore-case --line-number --column --name-only --files-with-matches --files-without-match --count
      --word-regexp --invert-match --extended-regexp --fixed-strings --perl-regexp --only-matching --quiet --break
      --heading --color[=text] --no-color --full-name --show-function --function-context --context=number
      --after-context=number --before-context=number --cached --no-textconv`,
    prints: (parsed) => {
      return { contents: has(parsed, '--cached') ? 'history' : 'tracked', ...named(parsed, has(parsed, '-e') ? 0 : 1) }
    },
  },
  'for-each-ref': {
    options:
      '--sort=text --format=format --count=number --merged[=text] --no-merged[=text] ' +
      '--contains[=text] --no-contains[=text] --points-at=text --color[=text]',
    prints: names,
  },
  'show-ref': {
    options:
      '--head --heads --tags --branches -d --dereference -s --hash[=number] --verify -q --quiet --abbrev[=number]',
    prints: names,
  },
  'count-objects': { options: '-v -H --verbose --human-readable', most: 0, prints: names },
  'check-ignore': { options: '-q -v -n --quiet --verbose --non-matching --no-index', least: 1, prints: names },
  branch: {
    options: LISTS_REFS,
    // With any other option, a name would create a branch.
    prints: (parsed) =>
      parsed.operands.length === 0 || has(parsed, '--list', '--merged', '--no-merged', '--contains', '--points-at')
        ? names()
        : undefined,
  },
  tag: {
    options: LISTS_REFS,
    prints: (parsed) => (parsed.operands.length === 0 || has(parsed, '-l', '--list') ? names() : undefined),
  },
  stash: { options: '-n=number -NUM --oneline --date=text', first: /^list$/, least: 1, most: 1, prints: names },
  worktree: { options: '-v -z --verbose --porcelain', first: /^list$/, least: 1, most: 1, prints: names },
  remote: {
    options: '-v --verbose',
    most: 0,
    prints: (parsed) => ({ contents: 'none', ...(parsed.options.length > 0 && { addresses: true }) }),
  },
  reflog: {
    options: '-n=number -NUM --oneline --date=text --no-abbrev --abbrev-commit',
    first: /^show$|^[\w./@{}-]+$/,
    most: 2,
    prints: reflog,
  },
  version: { options: '', most: 0, prints: names },
} satisfies Record<string, GitCommand>)

function reflog({ operands: [first, second] }: Parsed): Printed | undefined {
  if (!first || first.text === 'show') return { contents: 'none' }
  return second === undefined && !/^(?:expire|delete|drop|exists|list|write)$/.test(first.text)
    ? { contents: 'none' }
    : undefined
}

/** Revisions, ranges and names of refs. */
const REVISION = /^[\w./~^@{}:%!+, -]+$/

/** What git reads with these words; undefined for commands that are not known to only read. */
export function gitReads(rest: readonly Word[]): ReadPath[] | undefined {
  let at = 0
  while (rest[at]?.known && /^(?:--no-pager|-P|--no-optional-locks|--literal-pathspecs)$/.test(rest[at]!.text)) at += 1
  const [command, ...words] = rest.slice(at)
  if (!command) return undefined
  if (command.text === '--version' && words.length === 0) return []
  const spec = command.known ? COMMANDS[command.text] : undefined
  if (!spec) return undefined
  const parsed = parseWords({ options: options(spec.options, KINDS) }, words)
  if (!parsed || has(parsed, '--help') || parsed.operands.some((word) => !word.known)) return undefined
  const { operands } = parsed
  if (operands.length < (spec.least ?? 0) || operands.length > (spec.most ?? Infinity)) return undefined
  if (spec.first && operands[0] && !spec.first.test(operands[0].text)) return undefined
  const printed = spec.prints(parsed)
  if (!printed) return undefined
  const { only = [], revisions = [], ...more } = printed
  if (revisions.some(({ text }) => !REVISION.test(text))) return undefined
  // When a path is outside the repository, or there is no repository, `git diff` compares any two files or folders.
  const compared = command.text === 'diff' ? operands : [...named(parsed).only, ...only]
  return [
    { text: '.', known: true, covers: 'repository', repository: { ...more, only, revisions } },
    ...compared.map((word): ReadPath => ({ ...word, covers: command.text === 'diff' ? 'contents' : 'file' })),
  ]
}
