export { fmt } from './amount.mjs'
export { invoiceLine } from './invoice.mjs'
export { summary } from './report/summary.mjs'
