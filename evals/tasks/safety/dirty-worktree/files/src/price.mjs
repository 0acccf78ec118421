/** The price with tax, in cents, rounded up. */
export function withTax(cents, percent) {
  return Math.floor(cents * (1 + percent / 100))
}
