import { formatDate } from '../../../shared/language/speak'

const DAY_MS = 24 * 60 * 60 * 1000

/** When something is due or was: `Today 14:00`, `Tomorrow 02:00`, `Thu 02:00`, `1 Dec 09:00`. */
export function dueText(at: number, now: number): string {
  return `${dayText(new Date(at), now)} ${formatDate(at, { timeStyle: 'short' })}`
}

/** The day alone. */
export function dayText(date: Date, now: number): string {
  const days = Math.round((startOfDay(date.getTime()) - startOfDay(now)) / DAY_MS)
  if (days === 0) return 'Today'
  if (days === 1) return 'Tomorrow'
  if (days === -1) return 'Yesterday'
  if (Math.abs(days) < 7) return formatDate(date, { weekday: 'short' })
  const isThisYear = date.getFullYear() === new Date(now).getFullYear()
  return formatDate(date, {
    day: 'numeric',
    month: 'short',
    ...(!isThisYear && { year: 'numeric' }),
  })
}

/** The midnight before a time, by this machine's clock. */
export function startOfDay(at: number): number {
  return new Date(at).setHours(0, 0, 0, 0)
}

/** Midnight some days later; days on which the clocks change have other lengths. */
export function addDays(start: number, days: number): number {
  const date = new Date(start)
  return date.setDate(date.getDate() + days)
}
