import { has, options, valuesOf, type Parsed, type Program, type ReadPath } from './program-grammar'
import type { Word } from '../../permission/shell-syntax'

const HERE: Word = { text: '.', known: true }

/** The operands as paths; the current folder if there are no operands. */
function trees(operands: readonly Word[], covers: 'names' | 'contents', more: Partial<ReadPath> = {}): ReadPath[] {
  return (operands.length > 0 ? operands : [HERE])
    .filter(({ text }) => text !== '-')
    .map((word) => ({ ...word, ...more, covers }))
}

const LIST: Program = {
  options: options(
    `-a -A -l -h -1 -t -r -S -R -d -F -i -s -n -o -g -G -p -q -Q -k -m -x -C -c -u -U -v -X -B -b -f -N -T=number
    -w=number -I=text --all --almost-all --color[=text] --classify[=text] --human-readable --recursive --reverse
    --sort=text --time=text --time-style=text --full-time --group-directories-first --inode --size --directory
    --no-group --numeric-uid-gid --ignore=text --hide=text --file-type --si --width=number --format=text --zero
    --block-size=text --author --escape --literal --quote-name`,
  ),
  reads: ({ operands }) => trees(operands, 'names'),
  anyOption: true,
}

const GREP: Program = {
  options: options(
    `-NUM -i -v -n -c -l -L -h -H -o -q -s -w -x -r -E -F -G -P -a -b -T -U -z -Z -I -y -e=text -f=file -A=number
    -B=number -C=number -m=number -d=skip -D=skip --regexp=text --file=file --after-context=number
    --before-context=number --context[=number] --max-count=number --ignore-case --no-ignore-case --invert-match
    --line-number --count --files-with-matches --files-without-match --no-filename --with-filename --only-matching
    --quiet --silent --no-messages --word-regexp --line-regexp --recursive --extended-regexp --fixed-strings
    --basic-regexp --perl-regexp --text --byte-offset --initial-tab --null --null-data --color[=text] --colour[=text]
    --include=text --exclude=text --exclude-dir=text --exclude-from=file --binary-files=text --line-buffered
    --label=text --directories=skip --devices=skip`,
    { skip: /^(?:skip|read)$/ },
  ),
  reads(parsed) {
    const rest = has(parsed, '-e', '-f', '--regexp', '--file') ? parsed.operands : afterPattern(parsed)
    if (!rest) return undefined
    if (!has(parsed, '-r', '--recursive'))
      return [
        ...parsed.paths,
        ...rest.filter(({ text }) => text !== '-').map((word): ReadPath => ({ ...word, covers: 'file' })),
      ]
    const endings = endingsOf(valuesOf(parsed, '--include'))
    const skips = valuesOf(parsed, '--exclude-dir', '--exclude').filter((glob) => /^[\w.-]+$/.test(glob))
    return [
      ...parsed.paths,
      ...trees(rest, 'contents', { ...(endings && { endings }), ...(skips.length > 0 && { skips }) }),
    ]
  },
}

/**
 * The operands after the first, which is the pattern; undefined when there is no pattern or it is unknown which operand
 * it is.
 */
function afterPattern({ operands: [pattern, ...rest] }: Parsed): Word[] | undefined {
  return pattern?.known ? rest : undefined
}

/** The extensions selected by globs such as `*.ts`; undefined when they may match more. */
function endingsOf(globs: readonly string[]): string[] | undefined {
  return globs.length > 0 && globs.every((glob) => /^\*\.[\w.-]+$/.test(glob))
    ? globs.map((glob) => glob.slice(1))
    : undefined
}

const RIPGREP: Program = {
  options: options(
    `-i -S -s -n -N -l -c -o -v -w -x -F -H -I -0 -a -P -p -q -U -u -. -e=text -f=file -g=text -t=text -T=text
    -A=number -B=number -C=number -m=number -M=number -d=number -r=text -j=number -E=text --regexp=text --file=file
    --glob=text --iglob=text --type=text --type-not=text --after-context=number --before-context=number
    --context=number --max-count=number --max-columns=number --max-depth=number --threads=number --replace=text
    --encoding=text --color=text --colors=text --sort=text --sortr=text --hidden --no-ignore --no-ignore-vcs
    --unrestricted --no-heading --heading --line-number --no-line-number --files --files-with-matches
    --files-without-match --count --count-matches --ignore-case --smart-case --case-sensitive --fixed-strings
    --word-regexp --line-regexp --invert-match --only-matching --multiline --multiline-dotall --pcre2 --json --stats
    --no-messages --trim --vimgrep --column --no-filename --with-filename --null --type-list --passthru --text
    --no-config --pretty --quiet --no-stats`,
  ),
  reads(parsed) {
    const named = has(parsed, '-e', '-f', '--regexp', '--file', '--files', '--type-list')
    const rest = named ? parsed.operands : afterPattern(parsed)
    if (!rest) return undefined
    const globs = valuesOf(parsed, '-g', '--glob', '--iglob').filter((glob) => !glob.startsWith('!'))
    const endings = endingsOf(globs)
    // A glob that names files matches hidden and ignored ones too.
    const all =
      has(parsed, '-u', '-.', '--hidden', '--no-ignore', '--no-ignore-vcs', '--unrestricted') || globs.length > 0
    const covers = has(parsed, '--files') ? 'names' : 'contents'
    return [
      ...parsed.paths,
      ...trees(rest, covers, { ...(!all && { skipsHidden: true }), ...(endings && { endings }) }),
    ]
  },
}

/** Tests and actions of `find` that only read, with the kind of their value; `undefined` means no value. */
const FIND: Readonly<Record<string, RegExp | 'file' | 'text' | undefined>> = Object.assign(Object.create(null), {
  ...Object.fromEntries(
    `-print -print0 -ls -prune -quit -empty -true -false -readable -writable -executable -nouser -nogroup -depth -d
    -mount -xdev -daystart -noleaf -not -a -and -o -or ! ( ) ,`
      .split(/\s+/)
      .map((name) => [name, undefined]),
  ),
  ...Object.fromEntries(
    `-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -printf -user -group -fstype -perm
    -type -xtype -size -links -inum -uid -gid -mtime -atime -ctime -mmin -amin -cmin -maxdepth -mindepth -newermt
    -newerat -newerct -used`
      .split(/\s+/)
      .map((name) => [name, 'text']),
  ),
  ...Object.fromEntries('-newer -anewer -cnewer -samefile'.split(' ').map((name) => [name, 'file'])),
})

/** `find` has no options in the usual sense: folders, then an expression in which every word must be known. */
export function findReads(rest: readonly Word[]): ReadPath[] | undefined {
  const start = rest.findIndex((word) => /^[-(),!]/.test(word.text))
  const folders = start < 0 ? rest : rest.slice(0, start)
  if (folders.some((word) => !word.known && !(word.glob && /^[\w./~]/.test(word.text)))) return undefined
  const paths = trees(folders, 'names')
  const expression = start < 0 ? [] : rest.slice(start)
  for (let at = 0; at < expression.length; at += 1) {
    const { text, known } = expression[at]!
    if (!known || !(text in FIND)) return undefined
    const kind = FIND[text]
    if (kind === undefined) continue
    at += 1
    const value = expression[at]
    if (!value?.known) return undefined
    if (kind === 'file') paths.push({ ...value, covers: 'file' })
  }
  return paths
}

/** Programs that search, compare and describe files. */
export const FILE_PROGRAMS: Readonly<Record<string, Program>> = {
  ls: LIST,
  dir: LIST,
  grep: GREP,
  egrep: GREP,
  fgrep: GREP,
  rg: RIPGREP,
  diff: {
    options: options(
      `-NUM -u -r -q -y -N -w -b -B -i -c -a -s -t -d -p -e -n -E -Z -T -U=number -C=number -W=number -x=text -I=text
      -F=text -L=text --unified[=number] --context[=number] --recursive --brief --side-by-side --new-file
      --ignore-all-space --ignore-space-change --ignore-blank-lines --ignore-case --ignore-trailing-space
      --ignore-tab-expansion --text --report-identical-files --expand-tabs --minimal --show-c-function --color[=text]
      --width=number --exclude=text --ignore-matching-lines=text --label=text --strip-trailing-cr
      --suppress-common-lines --left-column --no-dereference --normal --speed-large-files`,
    ),
    reads: (parsed) =>
      parsed.operands.length === 2
        ? trees(parsed.operands, 'contents', has(parsed, '--no-dereference') ? {} : { followsLinks: true })
        : undefined,
  },
  tree: {
    options: options(
      `-a -d -f -i -s -h -p -u -g -D -F -q -N -Q -n -C -A -S -r -t -c -U -x -J -X -L=number -P=text -I=text --noreport
      --dirsfirst --du --prune --gitignore --filelimit=number --sort=text --inodes --device --ignore-case --matchdirs`,
    ),
    reads: ({ operands }) => trees(operands, 'names'),
  },
  du: {
    options: options(
      `-a -b -c -h -k -m -s -x -S -l -0 -d=number -t=text --max-depth=number --exclude=text --all --bytes --total
      --human-readable --summarize --one-file-system --si --apparent-size --time[=text] --threshold=text`,
    ),
    reads: ({ operands }) => trees(operands, 'names'),
  },
  stat: {
    options: options('-c=text -f -t -L --format=text --printf=text --file-system --terse --dereference'),
    operands: ['file'],
  },
  file: {
    options: options(
      '-b -i -k -L -h -N -n -r -0 -F=text --brief --mime --mime-type --mime-encoding --extension --no-dereference',
    ),
    operands: ['file'],
  },
  realpath: {
    options: options(
      '-e -m -L -P -q -s -z --canonicalize-existing --canonicalize-missing ' +
        '--no-symlinks --relative-to=file --relative-base=file',
    ),
    operands: ['file'],
  },
  readlink: { options: options('-f -e -m -n -q -s -v -z --canonicalize --no-newline'), operands: ['file'] },
}
