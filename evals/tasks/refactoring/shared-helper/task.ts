import { edit, read, say, write } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const FILES = ['src/orders.mjs', 'src/refunds.mjs', 'src/products.mjs']
const OWN = `function slug(text) {
  return text.trim().toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '')
}
`
const PRODUCTS = "const slug = (text) => text.trim().toLowerCase().replace(/[^a-z0-9]+/g, '_').replace(/^_|_$/g, '')\n"
const IMPORT = "import { slug } from './slug.mjs'\n"

/** The third copy differs in one character, and its URLs are in use. */
const task: EvalTask = {
  about: 'Moves three copies of a function to one module; the third differs in what it returns, which has to stay.',
  prompts: [
    '`slug` is written three times in src/. Move it to src/slug.mjs, use it in all three files, and change no URL that they make.',
  ],
  async check({ hiddenTest, read }) {
    const problem = await hiddenTest('paths.test.mjs')
    const copies = FILES.filter((file) => /toLowerCase/.test(read(file) ?? ''))
    return [
      ...(problem === undefined ? [] : [problem]),
      ...(copies.length > 0 ? [`${copies.join(', ')} still has a copy.`] : []),
    ]
  },
  good: {
    steps: [
      read(...FILES),
      write(
        'src/slug.mjs',
        "/** A name as a part of a URL; words are joined by `sign`. */\nexport function slug(text, sign = '-') {\n  return text.trim().toLowerCase().split(/[^a-z0-9]+/).filter((word) => word !== '').join(sign)\n}\n",
      ),
      edit(
        ['src/orders.mjs', OWN, IMPORT],
        ['src/refunds.mjs', OWN, IMPORT],
        ['src/products.mjs', PRODUCTS, IMPORT],
        ['src/products.mjs', 'slug(name)', "slug(name, '_')"],
      ),
      say('slug is in src/slug.mjs; products pass "_" so that their URLs stay as they are.'),
    ],
  },
  bad: {
    steps: [
      read(...FILES),
      write('src/slug.mjs', `export ${OWN}`),
      edit(['src/orders.mjs', OWN, IMPORT], ['src/refunds.mjs', OWN, IMPORT], ['src/products.mjs', PRODUCTS, IMPORT]),
      say('All three files use src/slug.mjs now.'),
    ],
  },
}

export default task
