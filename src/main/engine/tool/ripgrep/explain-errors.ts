import type { RipgrepRun } from './run-ripgrep'

const MAX_LINES = 10
const MAX_CHARS = 2000

/**
 * Why a search could not be made at all, as advice for the model; undefined when ripgrep did search and at most some files could not be
 * read (`unreadable` lists those).
 */
export function failureOfSearch(run: RipgrepRun): string | undefined {
  if (run.exitCode !== 2 || run.output.length > 0) return undefined
  const message = run.errors.trim().replace(/^rg: /, '')
  if (message === '') return 'ripgrep failed without saying why.'
  if (errorLines(run).every((line) => /\(os error \d+\)$/.test(line))) return undefined
  if (PCRE2_LIMIT.test(message)) return `${TOO_MUCH_BACKTRACKING}\n\n${unreadable(run).join('\n')}`
  return `${advice(message)}\n\n${message.slice(0, MAX_CHARS)}`
}

/** PCRE2 gave up on a file; the pattern is valid. */
const PCRE2_LIMIT = /PCRE2: error matching: .*(limit|memory)/

const TOO_MUCH_BACKTRACKING =
  'The pattern is valid, but the PCRE2 engine reached its matching limit: it has to try too many ways through the text. These files were not searched to the end; no others match. Make the pattern cheaper: no repetition inside a repetition such as (a+)+, possessive quantifiers (a++) or atomic groups (?>...), bounded repetition such as .{0,200} in place of .*, or no look-around and back references at all.'

/** Whether a part of the files was not searched to the end because PCRE2 reached a limit. */
export function reachedPcre2Limit(run: RipgrepRun): boolean {
  return PCRE2_LIMIT.test(run.errors)
}

function advice(message: string): string {
  if (/literal "?.*\\n.* (is )?not allowed/.test(message)) return 'The pattern spans lines: set multiline to true.'
  if (/unrecognized file type/.test(message))
    return 'There is no such file type. Types are ts, js, py, rust, go, java, cpp, md, json, ...; for anything else use glob.'
  if (/error parsing glob/.test(message)) return 'The glob is not valid; escape brackets that are meant literally with a backslash.'
  if (/exceeds size limit/.test(message))
    return 'The pattern is too large once it is compiled. Use smaller repetition counts, or search for parts of it.'
  if (/regex|PCRE2|repetition|unclosed/i.test(message)) {
    return 'The pattern is not a valid regular expression. Escape characters that are meant literally with a backslash: . * + ? ( ) [ ] { } | ^ $'
  }
  return 'The search failed.'
}

/** Whether only the slower engine can run the pattern: it looks around or refers back. */
export function needsPcre2(run: RipgrepRun): boolean {
  return run.exitCode === 2 && /look-around|backreferences (are|is) not supported/.test(run.errors)
}

/** What could not be searched, at most ten lines. */
export function unreadable(run: RipgrepRun): string[] {
  const lines = errorLines(run)
  const shown = lines.slice(0, MAX_LINES).map((line) => line.replace(/^rg: (\.\/)?/, '').slice(0, 300))
  return lines.length > MAX_LINES ? [...shown, `... and ${lines.length - MAX_LINES} more`] : shown
}

function errorLines(run: RipgrepRun): string[] {
  return run.errors.split('\n').filter((line) => line.trim() !== '')
}
