import { bash, read, say, write } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const WHOLE = `/** Rows of a text in CSV (RFC 4180). */
export function parseCsv(text) {
  const rows = []
  let row = []
  let field = ''
  let quoted = false
  let begun = false
  const endField = () => {
    row.push(field)
    field = ''
  }
  const endRow = () => {
    endField()
    rows.push(row)
    row = []
    begun = false
  }
  for (let at = 0; at < text.length; at += 1) {
    const sign = text[at]
    if (quoted) {
      if (sign !== '"') field += sign
      else if (text[at + 1] === '"') {
        field += '"'
        at += 1
      } else quoted = false
    } else if (sign === '"') {
      quoted = true
      begun = true
    } else if (sign === ',') {
      endField()
      begun = true
    } else if (sign === '\\n' || (sign === '\\r' && text[at + 1] === '\\n')) {
      if (sign === '\\r') at += 1
      if (begun || field !== '') endRow()
    } else {
      field += sign
      begun = true
    }
  }
  if (begun) endRow()
  return rows
}
`

/** Splits each line with a pattern that knows quotes: breaks where a quoted field has a line feed. */
const BY_LINES = `/** Rows of a text in CSV (RFC 4180). */
export function parseCsv(text) {
  return text
    .split(/\\r?\\n/)
    .filter((line) => line !== '')
    .map((line) => line.split(/,(?=(?:[^"]*"[^"]*")*[^"]*$)/).map((field) => field.replace(/^"|"$/g, '').replaceAll('""', '"')))
}
`

const task: EvalTask = {
  about: 'Makes a CSV parser take quoted fields as RFC 4180 says, line feeds in them included.',
  prompts: [
    'Addresses like "Doe, Robin" are torn apart when customers import CSV files. Make src/parse-csv.mjs follow RFC 4180.',
  ],
  async check({ hiddenTest }) {
    const problem = await hiddenTest('parse-csv.test.mjs')
    return problem === undefined ? [] : [problem]
  },
  good: {
    steps: [
      read('src/parse-csv.mjs', 'test/parse-csv.test.mjs'),
      write('src/parse-csv.mjs', WHOLE),
      bash('node --test'),
      say('The parser follows RFC 4180 now: commas, quotes and line feeds in quoted fields, CRLF, and empty fields.'),
    ],
  },
  bad: {
    steps: [
      read('src/parse-csv.mjs', 'test/parse-csv.test.mjs'),
      write('src/parse-csv.mjs', BY_LINES),
      bash('node --test'),
      say('Quoted fields are kept together now, and the tests pass.'),
    ],
  },
}

export default task
