/**
 * The day of the next bill, `months` after the first one, as YYYY-MM-DD. Who began on a day that a month does not have is billed on its last day, and on the
 * day they began in the months that have it.
 */
export function billingDay(first, months) {
  const date = new Date(`${first}T00:00:00Z`)
  date.setUTCMonth(date.getUTCMonth() + months)
  return date.toISOString().slice(0, 10)
}

/** The first `count` bills. */
export function billingDays(first, count) {
  const days = [first]
  while (days.length < count) days.push(billingDay(days.at(-1), 1))
  return days
}
