import type { ReplayStep } from '../../../shared/model/history'
import { oneLine, safeText } from '../../console/output'

/** One event of a replay as plain text. */
export function stepText(step: ReplayStep): string {
  return `${[headLine(step), oneLine(step.title), ...bodyLines(step)].join('\n')}\n`
}

/** One event as the lines of a screen; `scroll`: how many lines of its content are above it. */
export function stepScreen(
  step: ReplayStep,
  { columns, rows, scroll, typed }: { columns: number; rows: number; scroll: number; typed: string },
): { lines: string[]; maxScroll: number } {
  const body = bodyLines(step).flatMap((line) => wrap(line, columns))
  const room = Math.max(1, rows - 5)
  const maxScroll = Math.max(0, body.length - room)
  const from = Math.min(scroll, maxScroll)
  const shown = body.slice(from, from + room)
  const below = body.length - from - shown.length
  const keys =
    typed === ''
      ? '→ next  ← back  ] next turn  [ previous turn  ↑↓ scroll  number+Enter jump  q quit'
      : `Jump to event ${typed}  (Enter)`
  return {
    maxScroll,
    lines: [
      cut(headLine(step), columns),
      cut(oneLine(step.title), columns),
      '',
      ...shown,
      ...Array.from({ length: room - shown.length }, () => ''),
      below > 0 ? cut(`… ${below} more ${below === 1 ? 'line' : 'lines'}`, columns) : '',
      cut(keys, columns),
    ],
  }
}

function headLine({ seq, total, at, type, turn }: ReplayStep): string {
  const time = new Date(at).toISOString().slice(0, 19).replace('T', ' ')
  return `Event ${seq} of ${total} · ${turn === 0 ? 'before the first turn' : `turn ${turn}`} · ${time} · ${oneLine(type)}`
}

function bodyLines({ text, files, moreFiles }: ReplayStep): string[] {
  const lines = text === '' ? [] : safeText(text).split('\n')
  for (const { path, action, diff, note } of files) {
    lines.push('', `${action} ${oneLine(path)}`)
    // Its first two lines name the file again.
    if (diff !== undefined) lines.push(...safeText(diff).trimEnd().split('\n').slice(2))
    if (note !== undefined) lines.push(oneLine(note))
  }
  if (moreFiles > 0) lines.push('', `and ${moreFiles} more ${moreFiles === 1 ? 'file' : 'files'}`)
  return lines
}

function wrap(line: string, columns: number): string[] {
  const text = line.replaceAll('\t', '    ')
  if (text.length <= columns) return [text]
  const parts: string[] = []
  for (let at = 0; at < text.length; at += columns) parts.push(text.slice(at, at + columns))
  return parts
}

function cut(line: string, columns: number): string {
  return line.length > columns ? `${line.slice(0, Math.max(0, columns - 1))}…` : line
}
