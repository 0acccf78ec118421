import type { BackupsView } from '../../../shared/model/backups'

const DAY_MS = 24 * 60 * 60 * 1000

/** E.g. `7 · 120 MB · newest today 14:03`. */
export function backupsWords({ count, bytes, newestAt }: BackupsView, now: number): string {
  if (count === 0 || newestAt === undefined) return 'None yet. One is made every day.'
  return [String(count), size(bytes), `newest ${dayOf(newestAt, now)} ${timeOf(newestAt)}`].join(' · ')
}

function size(bytes: number): string {
  const megabytes = bytes / 1_000_000
  if (megabytes < 1) return `${Math.max(1, Math.round(bytes / 1000))} KB`
  return megabytes < 1000 ? `${Math.round(megabytes)} MB` : `${(megabytes / 1000).toFixed(1)} GB`
}

function dayOf(at: number, now: number): string {
  const day = new Date(at)
  if (day.toDateString() === new Date(now).toDateString()) return 'today'
  if (day.toDateString() === new Date(now - DAY_MS).toDateString()) return 'yesterday'
  return day.toLocaleDateString('en-GB', { day: 'numeric', month: 'short', year: 'numeric' })
}

function timeOf(at: number): string {
  return new Date(at).toLocaleTimeString('en-GB', { hour: '2-digit', minute: '2-digit' })
}
