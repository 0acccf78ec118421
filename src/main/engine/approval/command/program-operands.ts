import {
  argumentsOf,
  looksLikePath,
  type Arguments,
  type OperandUse,
  type TreeUse,
  type Use,
  valued,
} from './operand-use'
import { ALIASES, PROGRAMS, type Program } from './program-table'
import type { Word } from '../../permission/shell-syntax'
import { programOf } from '../shell/unwrap'
import { remoteOf } from '../shell/network-use'

/** The paths named in a command's arguments, and how the program uses each. Pure: does not touch the disk. */
export function programOperands(words: readonly Word[]): OperandUse[] {
  const name = nameOf(words)
  const rest = words.slice(1)
  const special = SPECIAL_PROGRAMS[name]
  if (special) return special(rest)
  const program = PROGRAMS[name]
  return program ? ofProgram(program, rest, name) : ofUnknown(rest)
}

function nameOf(words: readonly Word[]): string {
  const name = programOf(words).toLowerCase()
  return ALIASES[name] ?? name
}

function ofProgram(program: Program, rest: readonly Word[], name: string): OperandUse[] {
  const { operands, options, values } = argumentsOf(rest, program.values ?? {})
  const has = (wanted: readonly string[]): boolean =>
    options.some((option) =>
      wanted.some(
        (each) => option === each || (option.length > 3 && option.startsWith('--') && each.startsWith(option)),
      ),
    )
  const uses: OperandUse[] = values.flatMap(({ option, word }) => {
    const use = program.values?.[option] ?? 'none'
    return use === 'none' ? [] : [{ word, use }]
  })
  const intoFolder = values.some(
    ({ option }) => program.values?.[option] === 'write' && /^(?:-t|--target-directory)$/.test(option),
  )
  const usual = program.instead && has(program.instead.options) ? program.instead.operands : program.operands
  const tree =
    program.tree === true || (program.tree && has(program.tree))
      ? treeUse(program, usual, name, options, values)
      : undefined
  const skipsFirst = program.first !== undefined && !(program.firstIsPath && has(program.firstIsPath))
  for (const [index, word] of operands.entries()) {
    let use = usual
    if (index === 0 && skipsFirst) use = program.first!
    else if (index === operands.length - 1 && index > 0 && program.last !== undefined && !intoFolder) use = program.last
    if (use !== 'none') uses.push({ word, use, ...(tree && { tree }) })
  }
  const paths = operands.length - (skipsFirst ? 1 : 0)
  if (program.here && tree && paths <= 0) uses.push({ word: { text: '.', known: true }, use: usual, tree })
  return uses
}

function treeUse(
  program: Program,
  use: Use,
  name: string,
  options: readonly string[],
  values: Arguments['values'],
): TreeUse {
  const given = (option: string): string[] =>
    values.flatMap((value) => (value.option === option ? [value.word.text] : []))
  const grep = name.endsWith('grep')
  return {
    content: use !== 'names',
    follows: program.follows?.some((option) => options.includes(option)) ?? false,
    skipsHidden:
      /^(?:rg|ag|ack|fd)$/.test(name) &&
      !options.some((option) => /^(?:-\.|-u|-H|-a|-U|--hidden|--unrestricted|--no-ignore.*)$/.test(option)),
    skips: grep ? given('--exclude-dir') : [],
    only: grep ? given('--include') : [],
  }
}

/** An unknown program may read or write anything that looks like a path; an option's value counts as an output. */
function ofUnknown(rest: readonly Word[]): OperandUse[] {
  return rest.flatMap((word): OperandUse[] => {
    const value = /^(?:--?[\w-]+=|of=|-[tod](?=[/.~]))(.+)$/s.exec(word.text)?.[1]
    if (word.known && value !== undefined) return [{ word: { text: value, known: true }, use: 'write', unsure: true }]
    if (word.text.startsWith('-') && word.known) return []
    return looksLikePath(word) ? [{ word, use: 'maybe', unsure: true }] : []
  })
}

const WHOLE: TreeUse = { content: true, follows: false, skipsHidden: false, skips: [], only: [] }

/** Programs whose arguments follow their own syntax. */
const SPECIAL_PROGRAMS: Readonly<Record<string, (rest: readonly Word[]) => OperandUse[]>> = Object.assign(
  Object.create(null),
  {
    dd: (rest) =>
      rest.flatMap((word): OperandUse[] => {
        const [, key, value = ''] = /^(if|of)=([\s\S]*)$/.exec(word.text) ?? []
        return key === undefined ? [] : [{ word: { ...word, text: value }, use: key === 'if' ? 'read' : 'write' }]
      }),
    find: (rest) => {
      const start = rest.findIndex(
        (word) => word.known && /^[-(!]/.test(word.text) && !/^-(?:[HLP]|D.*|O\d?)$/.test(word.text),
      )
      const places = (start < 0 ? rest : rest.slice(0, start)).filter((word) => !word.text.startsWith('-'))
      const removes = rest.some((word) => word.text === '-delete')
      const tree: TreeUse = {
        ...WHOLE,
        content: removes,
        follows: rest.some((word) => word.text === '-L' || word.text === '-follow'),
      }
      const written = rest.flatMap((word, index): OperandUse[] =>
        /^-(?:fprint0?|fls|fprintf)$/.test(rest[index - 1]?.text ?? '') ? [{ word, use: 'write' }] : [],
      )
      const uses = (places.length > 0 ? places : [{ text: '.', known: true }]).map((word): OperandUse => ({
        word,
        use: removes ? 'write' : 'names',
        tree,
      }))
      return [...uses, ...written]
    },
    tar: (rest) => {
      const [first] = rest
      // `tar xf a.tar` accepts options without a dash.
      const bundled = first?.known && /^[a-zA-Z]+$/.test(first.text) ? first.text : undefined
      const letters = bundled ?? ''
      const values = valued('-b -H -K -N -V --exclude --format --transform --strip-components --owner --group --mode', {
        '-f': 'maybe',
        '--file': 'maybe',
        '-C': 'write',
        '--directory': 'write',
        '-T': 'read',
        '--files-from': 'read',
        '-X': 'read',
        '-g': 'write',
      })
      const taken = argumentsOf(bundled === undefined ? rest : rest.slice(1), values)
      const said = (letter: string, long: string): boolean =>
        letters.includes(letter) || taken.options.some((option) => option === `-${letter}` || option === long)
      const makes =
        said('c', '--create') || said('r', '--append') || said('u', '--update') || said('A', '--concatenate')
      const extracts = said('x', '--extract') || taken.options.includes('--get')
      const archive = bundled?.includes('f')
        ? taken.operands.shift()
        : taken.values.find(({ option }) => option === '-f' || option === '--file')?.word
      const into = taken.values.find(({ option }) => option === '-C' || option === '--directory')?.word
      const uses: OperandUse[] = []
      if (archive && archive.text !== '-') uses.push({ word: archive, use: makes ? 'write' : 'read' })
      if (extracts) uses.push({ word: into ?? { text: '.', known: true }, use: 'write' })
      else if (into) uses.push({ word: into, use: 'names' })
      if (makes)
        uses.push(
          ...taken.operands.map((word): OperandUse => ({
            word: inFolder(into, word),
            use: 'read',
            tree: { ...WHOLE, follows: said('h', '--dereference') },
          })),
        )
      uses.push(
        ...taken.values.flatMap(({ option, word }): OperandUse[] =>
          /^(?:-T|--files-from|-X)$/.test(option)
            ? [{ word, use: 'read' }]
            : option === '-g'
              ? [{ word, use: 'write' }]
              : [],
        ),
      )
      return uses
    },
    curl: (rest) => {
      const values = valued(
        '-A -H -X -e -m -r -u -w -x -C -Y -y -z -Q -P -b -d -F --user-agent --header --request ' +
          '--referer --max-time --user --proxy --data --data-raw --data-urlencode --data-binary ' +
          '--data-ascii --json --form --form-string --url --retry --connect-timeout --resolve ' +
          '--connect-to --cookie --range --write-out --limit-rate --interface --dns-servers ' +
          '--noproxy --proxy-user --oauth2-bearer --socks5 --socks5-hostname --preproxy',
        {
          '-o': 'write',
          '--output': 'write',
          '--output-dir': 'write',
          '-c': 'write',
          '--cookie-jar': 'write',
          '-D': 'write',
          '--dump-header': 'write',
          '--trace': 'write',
          '--trace-ascii': 'write',
          '--stderr': 'write',
          '--etag-save': 'write',
          '--hsts': 'write',
          '--alt-svc': 'write',
          '--libcurl': 'write',
          '-T': 'read',
          '--upload-file': 'read',
          '-K': 'read',
          '--config': 'read',
          '-E': 'read',
          '--cert': 'read',
          '--key': 'read',
          '--cacert': 'read',
          '--netrc-file': 'read',
          '--etag-compare': 'read',
        },
      )
      const { operands, values: given } = argumentsOf(rest, values)
      const local = operands.flatMap((word): OperandUse[] =>
        /^file:/i.test(word.text)
          ? [{ word: { ...word, text: word.text.replace(/^file:(?:\/\/(?:localhost)?)?/i, '') }, use: 'read' }]
          : [],
      )
      return [...local, ...given.flatMap(({ option, word }) => curlValue(option, word, values[option] ?? 'none'))]
    },
    git,
  } satisfies Record<string, (rest: readonly Word[]) => OperandUse[]>,
)

/** `-d @file` and `-F name=@file` send a file; so does `-b file`. */
function curlValue(option: string, word: Word, use: Use): OperandUse[] {
  if (use !== 'none') return word.text === '-' ? [] : [{ word, use }]
  const sent = /^(?:-d|--data|--data-binary|--data-ascii|--data-urlencode|--json|-H|--header)$/.test(option)
    ? /^[^=@]*@([\s\S]+)$/.exec(word.text)?.[1]
    : /^(?:-F|--form)$/.test(option)
      ? /=[@<]([^;]+)/.exec(word.text)?.[1]
      : /^(?:-b|--cookie)$/.test(option) && !word.text.includes('=')
        ? word.text
        : undefined
  return sent === undefined || sent === '-' ? [] : [{ word: { ...word, text: sent }, use: 'read' }]
}

function inFolder(folder: Word | undefined, word: Word): Word {
  if (!folder || word.text.startsWith('/') || word.tilde) return word
  return {
    ...word,
    text: `${folder.text}/${word.text}`,
    known: word.known && folder.known,
    ...(folder.tilde && { tilde: true }),
  }
}

const GIT_VALUES = valued(
  '-m -c --message --author --date --format --pretty --grep --since --until --after ' +
    '--before -G -S -L -n -U --max-count --branch -b -B --depth --origin --reference --exclude ' +
    '--fixup --squash --cleanup --strategy -s -X --remote --refmap --sort --points-at --contains',
  {
    '--output': 'write',
    '-F': 'read',
    '--file': 'read',
    '--contents': 'read',
    '--pathspec-from-file': 'read',
    '-C': 'names',
    '--git-dir': 'maybe',
    '--work-tree': 'maybe',
    '--output-directory': 'write',
    '--separate-git-dir': 'write',
    '--template': 'read',
  },
)

/** git changes what belongs to the repository; this covers other files that its arguments name. */
function git(rest: readonly Word[]): OperandUse[] {
  const globals = argumentsOf(rest, GIT_VALUES)
  const command = globals.operands[0]?.text ?? ''
  // For these commands, `-o` names a file or folder to write; for others it takes no value.
  const values = /^(?:format-patch|archive)$/.test(command) ? { ...GIT_VALUES, '-o': 'write' as const } : GIT_VALUES
  const { operands, values: given, options } = argumentsOf(rest, values)
  const words = operands.slice(1)
  const uses = given.flatMap(({ option, word }): OperandUse[] => {
    const use = values[option] ?? 'none'
    return use === 'none' ? [] : [{ word, use: command === 'config' && use === 'read' ? 'write' : use }]
  })
  const all = (use: Use, from: readonly Word[] = words): OperandUse[] => from.map((word) => ({ word, use }))
  if (command === 'clone') {
    const [source, into] = words
    // Without a folder argument, the clone is named after its source, in the current folder.
    return [
      ...uses,
      ...(source && !remoteOf(source.text) ? all('read', [source]) : []),
      ...(into ? all('write', [into]) : []),
    ]
  }
  if (command === 'init') return [...uses, ...all('write')]
  if (command === 'worktree')
    return [...uses, ...(words[0]?.text === 'add' || words[0]?.text === 'move' ? all('write', words.slice(1, 3)) : [])]
  if (command === 'bundle') return [...uses, ...all(words[0]?.text === 'create' ? 'write' : 'read', words.slice(1, 2))]
  if (command === 'hash-object' || command === 'apply' || command === 'am') return [...uses, ...all('read')]
  if (command === 'diff' && options.includes('--no-index')) return [...uses, ...all('read')]
  if (command === 'rm' || command === 'mv' || command === 'clean' || command === 'restore')
    return [...uses, ...all('write')]
  return [...uses, ...words.filter(looksLikePath).map((word): OperandUse => ({ word, use: 'maybe', unsure: true }))]
}
