import { call, edit, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const FILES = [
  'src/amount.mjs',
  'src/invoice.mjs',
  'src/index.mjs',
  'src/report/summary.mjs',
  'src/templates.mjs',
  'docs/api.md',
]
const CODE: [string, string, string][] = [
  ['src/amount.mjs', 'function fmt(', 'function formatPrice('],
  ['src/invoice.mjs', 'import { fmt }', 'import { formatPrice }'],
  ['src/invoice.mjs', '${fmt(cents)}', '${formatPrice(cents)}'],
  ['src/index.mjs', 'export { fmt }', 'export { formatPrice }'],
  ['src/report/summary.mjs', 'amount.fmt(', 'amount.formatPrice('],
]

/** The name is also in a template, in a comment and in the docs, and a part of another name that stays. */
const task: EvalTask = {
  about: 'Renames a function in all files: imports, a namespace import, a template that names it, and the docs.',
  prompts: ['Rename the function `fmt` to `formatPrice` everywhere. Keep no alias, and leave fmtDate as it is.'],
  async check({ hiddenTest, read }) {
    const problem = await hiddenTest('rename.test.mjs')
    const old = [...FILES, 'src/report/fmt-date.mjs'].filter((file) => /\bfmt\b(?!-date)/.test(read(file) ?? ''))
    return [
      ...(problem === undefined ? [] : [problem]),
      ...(old.length > 0 ? [`The old name is left in ${old.join(', ')}.`] : []),
      ...(read('src/report/fmt-date.mjs')?.includes('fmtDate') ? [] : ['fmtDate was to stay as it is.']),
    ]
  },
  good: {
    steps: [
      call('Grep', { pattern: '\\bfmt\\b', output_mode: 'content' }),
      read(...FILES),
      edit(
        ...CODE,
        ['src/templates.mjs', '`{{fmt:1250}}`', '`{{formatPrice:1250}}`'],
        ['src/templates.mjs', 'Paid {{fmt:1250}}', 'Paid {{formatPrice:1250}}'],
        ['docs/api.md', '`fmt(cents)`', '`formatPrice(cents)`'],
      ),
      say('fmt is formatPrice everywhere, in the receipt template and the docs, too.'),
    ],
  },
  // Only what a search for calls and imports finds.
  bad: {
    steps: [
      call('Grep', { pattern: 'fmt\\(|\\{ fmt', output_mode: 'content', glob: '*.mjs' }),
      read(...FILES.slice(0, 4)),
      edit(...CODE),
      say('I renamed the function and all imports and calls of it.'),
    ],
  },
}

export default task
