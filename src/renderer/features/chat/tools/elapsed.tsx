import { useSecond } from '../../../state/use-second'

/** The time since a moment (ms since the epoch), counted in seconds: `8 s`, `2:05`. Nothing during the first second. */
export function Elapsed({ since }: { since: number }) {
  const now = useSecond()
  const seconds = Math.floor((now - since) / 1000)
  return seconds < 1 ? null : <span className="tabular-nums">{clock(seconds)}</span>
}

export function clock(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const rest = String(seconds % 60).padStart(2, '0')
  if (seconds < 3600) return `${Math.floor(seconds / 60)}:${rest}`
  return `${Math.floor(seconds / 3600)}:${String(Math.floor((seconds % 3600) / 60)).padStart(2, '0')}:${rest}`
}
