import type { Segment, Word } from '../../permission/shell-syntax'
import { unwrapShell } from './unwrap-shell'
import {
  hiddenResult,
  NOTHING,
  OPAQUE_PROGRAMS,
  SHELLS,
  WRAPPERS,
  type Unwrapped,
  type Wrapper,
} from './wrapper-programs'

/** Parts of the shell's grammar rather than commands; one in place of a program means the text was misparsed. */
const GRAMMAR = new Set(
  '{ } ( ) ! [[ ]] if then elif else fi for while until do done case esac select function in'.split(' '),
)
/** POSIX names; anything else could look like one program and be another. */
const NAME = /^[\w.+/@%:,=~-]+$/
const FIND_RUNS = new Set(['-exec', '-execdir', '-ok', '-okdir'])

/** The name of a program without its folder. */
export function programOf(words: readonly Word[]): string {
  return words[0]?.known ? (words[0].text.split('/').at(-1) ?? '').replace(/\.exe$/i, '') : ''
}

/** Unwraps wrapper programs: what else this segment starts. */
export function unwrap(segment: Segment): Unwrapped {
  const { words } = segment
  const [first] = words
  if (!first) return NOTHING
  if (!first.known || first.tilde) return hiddenResult('the program it runs is only known when it runs')
  if (first.text === '[' || first.text === '[[') return NOTHING
  if (segment.source.startsWith('((')) return NOTHING
  if (GRAMMAR.has(first.text)) return hiddenResult(`"${first.text}" is not understood there`)
  if (!NAME.test(first.text) && first.text !== '')
    return hiddenResult(`${JSON.stringify(first.text)} is an unusual name for a program`)
  const unwrapped = byName(segment, programOf(words))
  // A program with the same name in another folder could be anything.
  return unwrapped.neutral && !isUsual(first.text) ? { ...unwrapped, neutral: false } : unwrapped
}

function byName(segment: Segment, name: string): Unwrapped {
  const { words } = segment
  const lower = name.toLowerCase()
  // On systems with case-insensitive file names, SUDO is sudo.
  if (lower !== name && (SHELLS.has(lower) || lower in WRAPPERS || lower in OPAQUE_PROGRAMS))
    return hiddenResult(`${name} is not understood`)
  if (/^ld(?:-linux|-musl|64)?[\w.-]*\.so/.test(name))
    return hiddenResult(`${name} runs a command that is not followed`)
  if (OPAQUE_PROGRAMS[name] !== undefined)
    return words.length === 1 && name === 'alias' ? NOTHING : hiddenResult(`${name} ${OPAQUE_PROGRAMS[name]}`)
  if (SHELLS.has(name)) return unwrapShell(words, name)
  if (name === 'eval') return unwrapEval(words)
  if (name === 'trap') return unwrapTrap(words)
  if (name === 'find' || name === 'gfind') return unwrapFind(segment)
  const wrapper = WRAPPERS[name]
  if (!wrapper) return NOTHING
  return name === 'xargs' ? unwrapXargs(segment, wrapper) : unwrapWrapper(segment, wrapper, name)
}

/** A bare name, or a path in a system program folder. */
function isUsual(program: string): boolean {
  return !program.includes('/') || /^\/(?:usr\/|usr\/local\/|opt\/homebrew\/)?bin\/[^/]+$/.test(program)
}

/** The words after the options of a wrapper: where the program starts, and the variables set for it. */
function unwrapWrapper(segment: Segment, wrapper: Wrapper, name: string): Unwrapped {
  const { words } = segment
  const assignments: Segment['assignments'] = []
  let at = 1
  let before = wrapper.before ?? 0
  let ended = false
  for (; at < words.length; at += 1) {
    const { text, known } = words[at]!
    if (!known) return hiddenResult(`what ${name} runs is only known when it runs`)
    if (text === '--' && !ended) {
      ended = true
      continue
    }
    if (text === '-' && name === 'env') continue
    if (/^-./.test(text) && !ended) {
      const means = optionOf(text, wrapper)
      if (means === 'asks') return NOTHING
      if (means === 'hidden') return hiddenResult(`${name} ${text} is not followed`)
      if (means === 'value next') at += 1
      continue
    }
    // env and the like accept any name.
    const assignment = (wrapper.assigns ? /^([^=]*)=([\s\S]*)$/ : /^([A-Za-z_]\w*)\+?=([\s\S]*)$/).exec(text)
    // It would run a program of this name. In bash, "time" is a keyword, so the variable is set even without a command.
    if (assignment && !wrapper.assigns && before === 0) return hiddenResult(`${name} ${text} is not understood`)
    if (assignment && wrapper.assigns) {
      assignments.push({ name: assignment[1]!, value: { text: assignment[2]!, known: true } })
      continue
    }
    if (before === 0) break
    before -= 1
  }
  const rest = words.slice(at)
  if (rest.length === 0)
    return name === 'env' || name === 'exec' || name === 'command' ? { ...NOTHING, neutral: name === 'exec' } : NOTHING
  const inner: Segment = { ...segment, words: rest, assignments, redirections: [] }
  return { inner: [{ segment: inner, at }], neutral: wrapper.neutral === true }
}

/** xargs appends words from its input, or puts them in place of its replacement string; those words are unknown. */
function unwrapXargs(segment: Segment, wrapper: Wrapper): Unwrapped {
  const unwrapped = unwrapWrapper(segment, wrapper, 'xargs')
  const [only] = unwrapped.inner
  if (!only) return unwrapped.hidden === undefined ? { inner: [], neutral: true } : unwrapped
  const options = segment.words.slice(1, only.at).map((word) => word.text)
  const marks = options.flatMap((text, index) => {
    const attached =
      /^-\w*[IJ](.+)$/.exec(text)?.[1] ?? /^-\w*i(.+)$/.exec(text)?.[1] ?? /^--replace=(.+)$/.exec(text)?.[1]
    if (attached !== undefined) return [attached]
    if (/^-\w*[IJ]$/.test(text)) return options[index + 1] ?? []
    return /^-\w*i$|^--replace$/.test(text) ? ['{}'] : []
  })
  const filled = only.segment.words.map((word) =>
    marks.some((mark) => word.text.includes(mark)) ? { ...word, known: false } : word,
  )
  const words = marks.length > 0 ? filled : [...filled, { text: '{}', known: false }]
  return { ...unwrapped, inner: [{ ...only, segment: { ...only.segment, words } }] }
}

/** What an option of a wrapper means for the words after it; an unknown option could mean anything. */
function optionOf(text: string, wrapper: Wrapper): 'asks' | 'hidden' | 'value next' | 'nothing' {
  if (text.startsWith('--')) {
    const [name = text] = text.split('=')
    if (wrapper.asks?.includes(name)) return 'asks'
    if (wrapper.longFlags?.includes(name)) return 'nothing'
    if (!wrapper.hidden?.includes(name) && wrapper.long?.includes(name))
      return text.includes('=') ? 'nothing' : 'value next'
    return wrapper.numbers && /^--?\d+$/.test(text) ? 'nothing' : 'hidden'
  }
  if (wrapper.asks?.includes(text)) return 'asks'
  if (wrapper.numbers && /^-\d+$/.test(text)) return 'nothing'
  for (const [index, letter] of text.slice(1).split('').entries()) {
    if (wrapper.attached?.includes(letter)) return 'nothing'
    if (wrapper.hidden?.includes(`-${letter}`)) return 'hidden'
    if (wrapper.short?.includes(letter)) return index === text.length - 2 ? 'value next' : 'nothing'
    if (!wrapper.flags?.includes(letter)) return 'hidden'
  }
  return 'nothing'
}

function unwrapEval(words: readonly Word[]): Unwrapped {
  const rest = words.slice(words[1]?.text === '--' ? 2 : 1)
  if (rest.some((word) => !word.known)) return hiddenResult('what eval runs is only known when it runs')
  return { inner: [], script: rest.map((word) => word.text).join(' '), neutral: true }
}

function unwrapTrap(words: readonly Word[]): Unwrapped {
  const [, action] = words
  if (action === undefined) return NOTHING
  if (!action.known) return hiddenResult('what trap runs is only known when it runs')
  if (action.text === '-' || action.text === '-l' || action.text === '-p' || words.length === 2) return NOTHING
  return { inner: [], script: words[1]!.text === '--' ? (words[2]?.text ?? '') : action.text, neutral: true }
}

/** `find` runs the words between -exec and `;` or `+` with the names it finds. */
function unwrapFind(segment: Segment): Unwrapped {
  const { words } = segment
  const inner: Unwrapped['inner'] = []
  const own: Word[] = []
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at]!
    if (!word.known && !word.glob) return hiddenResult('what find does is only known when it runs')
    own.push(word)
    if (!word.known || !FIND_RUNS.has(word.text)) continue
    const end = words.findIndex(
      (each, index) => index > at && (each.text === ';' || (each.text === '+' && words[index - 1]?.text === '{}')),
    )
    const ran = words.slice(at + 1, end < 0 ? words.length : end)
    if (ran.length === 0) return hiddenResult('find -exec is not understood')
    const named = ran.map((each) => (each.text.includes('{}') ? { ...each, known: false } : each))
    inner.push({ segment: { ...segment, words: named, assignments: [], redirections: [] }, at: at + 1 })
    at = end < 0 ? words.length : end
  }
  return { inner, neutral: false }
}
