import { emitKeypressEvents, type Key } from 'node:readline'
import type { ReplayOverview, ReplayStep } from '../../../shared/model/session/history'
import { clustersOf } from '../../../shared/cut-text'
import { clusterWidth, truncateToWidth } from '../../console/display-width'
import { editorOutput, oneLine, safeText } from '../../console/output'
import type { Engine } from '../../engine/engine-api'

/** Steps read per request when all are printed. */
const CHUNK = 50

/** Shows a session event by event: by key in a terminal, otherwise all of it. */
export async function replayFromTerminal(engine: Engine, sessionId: string, isJson: boolean): Promise<number> {
  const overview = await engine.histories.replay(sessionId)
  const { stdin, stdout } = process
  if (!isJson && stdin.isTTY && stdout.isTTY && overview.total > 0) await showByKey(engine, overview)
  else await printAll(engine, overview, isJson)
  return 0
}

async function printAll(engine: Engine, { sessionId, total }: ReplayOverview, isJson: boolean): Promise<void> {
  for (let from = 1; from <= total; from += CHUNK)
    for (const step of await engine.histories.steps(sessionId, from, CHUNK))
      process.stdout.write(isJson ? `${JSON.stringify(step)}\n` : `${stepText(step)}\n`)
}

async function showByKey(engine: Engine, overview: ReplayOverview): Promise<void> {
  const { stdin, stdout } = process
  const screen = editorOutput(stdout)
  const view = { seq: 1, scroll: 0, typed: '', maxScroll: 0 }
  let step: ReplayStep | undefined
  const { promise: ended, resolve: end, reject: fail } = Promise.withResolvers<void>()

  const draw = (): void => {
    if (!step) return
    // Some terminals report no size.
    const [columns, rows] = [stdout.columns || 80, stdout.rows || 24]
    const { lines, maxScroll } = stepScreen(step, { ...view, columns, rows })
    view.maxScroll = maxScroll
    screen.write(`\x1b[H\x1b[2J${lines.join('\r\n')}`)
  }
  const show = async (seq: number): Promise<void> => {
    const wanted = Math.min(overview.total, Math.max(1, seq))
    Object.assign(view, { seq: wanted, scroll: 0, typed: '' })
    const [found] = await engine.histories.steps(overview.sessionId, wanted, 1)
    // Another key may have been pressed in the meantime.
    if (!found || view.seq !== wanted) return
    step = found
    draw()
  }
  const onKey = (text: string | undefined, { name, ctrl }: Key): void => {
    if (name === 'q' || name === 'escape' || (ctrl === true && (name === 'c' || name === 'd'))) return end()
    const to = targetOf(name, text, view, overview)
    if (to !== undefined) {
      show(to).catch(fail)
      return
    }
    if (name === 'up') view.scroll = Math.max(0, view.scroll - 1)
    else if (name === 'down') view.scroll = Math.min(view.maxScroll, view.scroll + 1)
    else if (name === 'backspace') view.typed = view.typed.slice(0, -1)
    else if (text !== undefined && /^\d$/.test(text) && view.typed.length < 9) view.typed += text
    else return
    draw()
  }

  emitKeypressEvents(stdin)
  stdin.setRawMode(true)
  stdin.on('keypress', onKey)
  stdout.on('resize', draw)
  screen.write('\x1b[?1049h\x1b[?25l')
  try {
    await show(1)
    await ended
  } finally {
    stdin.off('keypress', onKey)
    stdout.off('resize', draw)
    screen.write('\x1b[?25h\x1b[?1049l')
    stdin.setRawMode(false)
    stdin.pause()
  }
}

/** The event that a key selects; undefined for other keys. */
export function targetOf(
  name: string | undefined,
  text: string | undefined,
  { seq, typed }: { seq: number; typed: string },
  { total, turns }: ReplayOverview,
): number | undefined {
  if (name === 'right' || name === 'n' || name === 'space') return seq + 1
  if (name === 'left' || name === 'p') return seq - 1
  if (name === 'home') return 1
  if (name === 'end') return total
  if ((name === 'return' || name === 'enter') && typed !== '') return Number(typed)
  if (text === ']') return turns.find((turn) => turn.seq > seq)?.seq ?? total
  if (text === '[') return turns.findLast((turn) => turn.seq < seq)?.seq ?? 1
  return undefined
}

/** One event of a replay as plain text. */
function stepText(step: ReplayStep): string {
  return `${[headLine(step), oneLine(step.title), ...bodyLines(step)].join('\n')}\n`
}

/** One event as the lines of a screen; `scroll`: how many lines of its content are scrolled off the top. */
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
  return (
    `Event ${seq} of ${total} · ${turn === 0 ? 'before the first turn' : `turn ${turn}`} ` +
    `· ${time} · ${oneLine(type)}`
  )
}

function bodyLines({ text, files, moreFiles }: ReplayStep): string[] {
  const lines = text === '' ? [] : safeText(text).split('\n')
  for (const { path, action, diff, note } of files) {
    lines.push('', `${action} ${oneLine(path)}`)
    // Its first two lines repeat the name of the file.
    if (diff !== undefined) lines.push(...safeText(diff).trimEnd().split('\n').slice(2))
    if (note !== undefined) lines.push(oneLine(note))
  }
  if (moreFiles > 0) lines.push('', `and ${moreFiles} more ${moreFiles === 1 ? 'file' : 'files'}`)
  return lines
}

function wrap(line: string, columns: number): string[] {
  const parts = ['']
  let used = 0
  for (const cluster of clustersOf(line.replaceAll('\t', '    '))) {
    const width = clusterWidth(cluster)
    if (used > 0 && used + width > columns) {
      parts.push('')
      used = 0
    }
    parts[parts.length - 1] += cluster
    used += width
  }
  return parts
}

function cut(line: string, columns: number): string {
  return truncateToWidth(line.replaceAll('\t', '    '), columns)
}
