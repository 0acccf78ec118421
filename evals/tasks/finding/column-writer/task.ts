import { checkLocation, foundLocation, locationIn, writeGeneratedTree } from '../../../support/generated-tree.ts'
import { call, read, say } from '../../../runner/solution-steps.ts'
import type { EvalTask } from '../../../runner/task'

const PATH = 'src/returns/settle-return.ts'
const SETTLE = `import { patch } from '../db/patch.ts'
import { tables } from '../db/tables.ts'

/** The last thing that happens to a return. */
export async function settleReturn(orderId: string): Promise<void> {
  const now = new Date()
  await patch(tables.sales, orderId, { state: 'done', closedAt: now })
}
`
const SPECIAL = {
  [PATH]: SETTLE,
  'src/db/tables.ts': `/** Names in the code, and in the database. */\nexport const tables = {\n  sales: 'orders',\n  orders: 'purchase_orders',\n  bills: 'invoices',\n} as const\n`,
  'src/db/patch.ts': `import { query } from './query.ts'\n\n/** Sets columns; closedAt becomes closed_at. */\nexport async function patch(table: string, id: string, values: Record<string, unknown>): Promise<void> {\n  const columns = Object.keys(values).map((name) => name.replace(/[A-Z]/g, (sign) => \`_\${sign.toLowerCase()}\`))\n  await query(\`update \${table} set \${columns.map((column, n) => \`\${column} = $\${n + 2}\`).join(', ')} where id = $1\`, [id, ...Object.values(values)])\n}\n`,
  'src/db/query.ts': 'export declare function query(text: string, values: unknown[]): Promise<void>\n',
  'src/stock/close-purchase.ts': `import { patch } from '../db/patch.ts'\nimport { tables } from '../db/tables.ts'\n\nexport const closePurchase = (id: string): Promise<void> => patch(tables.orders, id, { closedAt: new Date() })\n`,
  'src/billing/close-bill.ts': `import { patch } from '../db/patch.ts'\nimport { tables } from '../db/tables.ts'\n\nexport const closeBill = (id: string): Promise<void> => patch(tables.bills, id, { closedAt: new Date() })\n`,
}

/** The table has another name in the code, and its name belongs to another one. */
const task: EvalTask = {
  about: 'Finds the line that writes a column of the database whose table has another name in the code.',
  prompts: [
    'Which line of the code sets the column closed_at of the database table orders? Answer with path:line of the call that does it, and nothing else.',
  ],
  setup: ({ project }) => writeGeneratedTree(project, SPECIAL),
  check: ({ answer }) => checkLocation(answer, locationIn(PATH, SETTLE, 'await patch(')),
  good: {
    steps: [
      call('Grep', { pattern: 'closed_at|closedAt:', output_mode: 'content' }),
      read('src/db/tables.ts', 'src/db/patch.ts'),
      call('Grep', { pattern: 'tables\\.sales', output_mode: 'content' }),
      ({ said }) => say(foundLocation(said, PATH, 'tables.sales')),
    ],
  },
  bad: {
    steps: [
      call('Grep', { pattern: 'tables\\.orders', output_mode: 'content' }),
      ({ said }) => say(foundLocation(said, 'src/stock/close-purchase.ts', 'tables.orders')),
    ],
  },
}

export default task
