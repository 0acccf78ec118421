/** Cents as a price, e.g. 1250 as "12.50". */
export function fmt(cents) {
  return (cents / 100).toFixed(2)
}
