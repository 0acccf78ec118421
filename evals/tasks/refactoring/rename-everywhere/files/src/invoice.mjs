import { fmt } from './amount.mjs'

export function invoiceLine({ name, cents }) {
  return `${name}: ${fmt(cents)}`
}
