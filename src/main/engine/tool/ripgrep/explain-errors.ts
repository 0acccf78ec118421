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
  return `${advice(message)}\n\n${message.slice(0, MAX_CHARS)}`
}

function advice(message: string): string {
  if (/literal "?.*\\n.* (is )?not allowed/.test(message)) return 'The pattern spans lines: set multiline to true.'
  if (/unrecognized file type/.test(message))
    return 'There is no such file type. Types are ts, js, py, rust, go, java, cpp, md, json, ...; for anything else use glob.'
  if (/error parsing glob/.test(message)) return 'The glob is not valid; escape brackets that are meant literally with a backslash.'
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
