/**
 * Finds lines that are wider than 120 columns: `node scripts/check-width.ts [PATH...]`. Part of `npm run check`. The
 * formatter breaks code, but neither comments nor strings. Break a string after a sentence, and join its parts with
 * `+`; exceptions are listed here.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { trackedFiles } from './tracked-files.ts'

const root = join(import.meta.dirname, '..')
const MAX_COLUMNS = 120
const FILES = /^(?:src|test|e2e|bench|scripts|evals\/runner)\/.*\.(?:tsx?|mjs)$|^[\w.-]+\.(?:ts|mjs)$/
const SKIPPED = /^test\/fixtures\//

/** Lines that can be wide. */
const EXCEPTIONS: readonly RegExp[] = [
  // A regular expression, or its source.
  /(?:^|[\s(=:!?[])\/(?![/*\s]).+\/[dgimsuvy]*(?:[,;).\]\s]|$)|\(\?[:=!<]|String\.raw|\\\\|\|[A-Z]+\|/,
  // The name of a test, or a suppression with its reason.
  /^\s*(?:it|test|describe)\b.*\(['"`]|^\s*\/\/ oxlint-disable/,
  // A word without a space, such as an address or an encoded picture.
  /\S{90}/,
  // Escape sequences of a terminal; a script for another interpreter.
  /\\u00|\$\{ESC\}|#!\/bin\/sh|require\('|<html>/,
]

interface WideLine {
  file: string
  line: number
  columns: number
}

/** The wide lines of a file that are not exceptions. Lines within a multi-line text can have any width. */
function wideLinesIn(file: string): WideLine[] {
  let isInText = false
  return readFileSync(join(root, file), 'utf8')
    .split('\n')
    .flatMap((text, index) => {
      const startsInText = isInText
      if (!/^\s*(?:\/\/|\/?\*)/.test(text) && [...text.replace(/\\./g, '').matchAll(/`/g)].length % 2 === 1)
        isInText = !isInText
      if (text.length <= MAX_COLUMNS || startsInText || isInText) return []
      return EXCEPTIONS.some((exception) => exception.test(text))
        ? []
        : [{ file, line: index + 1, columns: text.length }]
    })
}

const found = trackedFiles(root, process.argv.slice(2))
  .filter((file) => FILES.test(file) && !SKIPPED.test(file))
  .flatMap(wideLinesIn)
for (const { file, line, columns } of found) console.log(`${file}:${line}: ${columns} columns`)
if (found.length > 0) console.log(`${found.length} lines wider than ${MAX_COLUMNS} columns.`)
process.exit(found.length === 0 ? 0 : 1)
