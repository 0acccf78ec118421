import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { ScriptStep } from '../../test/support/model-script'

/** Tokens of the window in tasks of the group long-sessions: ten notes do not fit into it. */
export const SMALL_WINDOW = 24_000

const PLACES = ['north gate', 'boiler room', 'pier two', 'cold store', 'upper deck', 'pump house']
const EVENTS = [
  'pressure checked',
  'valve greased',
  'lamp replaced',
  'delivery signed for',
  'door found open',
  'filter cleaned',
]

/**
 * Writes `count` files `notes/day-01.md` and so on of about 9 kB each, the same in every run; `extra` lines go into the
 * middle of a day's file.
 */
export function writeLongNotes(project: string, count: number, extra: Readonly<Record<number, string>> = {}): void {
  mkdirSync(join(project, 'notes'), { recursive: true })
  for (let day = 1; day <= count; day += 1) {
    const lines = Array.from({ length: 150 }, (_, n) => {
      const place = PLACES[(n * 5 + day) % PLACES.length]!
      const event = EVENTS[(n * 7 + day * 3) % EVENTS.length]!
      return `- ${clock(n)} ${place}: ${event}, reading ${((n * 37 + day * 11) % 900) / 100} of 9`
    })
    const line = extra[day]
    if (line !== undefined) lines.splice(75, 0, line)
    writeFileSync(join(project, noteOf(day)), `# Day ${day}\n\n${lines.join('\n')}\n`)
  }
}

export function noteOf(day: number): string {
  return `notes/day-${String(day).padStart(2, '0')}.md`
}

/**
 * Steps that read the notes one by one and say much about each: results can be left out to make room, words of the
 * model cannot, so it has to be compacted.
 */
export function readsOfNotes(from: number, to: number): ScriptStep[] {
  return Array.from({ length: to - from + 1 }, (_, index) => readOfNote(from + index))
}

/** One of these steps; `more` calls come with it. */
export function readOfNote(day: number, ...more: NonNullable<ScriptStep['toolCalls']>): ScriptStep {
  return { text: wordsAbout(day), toolCalls: [{ name: 'Read', input: { path: noteOf(day) } }, ...more] }
}

function wordsAbout(day: number): string {
  const sentences = Array.from(
    { length: 40 },
    (_, n) =>
      `For day ${day} I compare ${PLACES[n % PLACES.length]} with the day before, ` +
      `entry ${n + 1}, and find nothing unusual in it.`,
  )
  return sentences.join(' ')
}

function clock(n: number): string {
  const minutes = n * 9
  return `${String(Math.floor(minutes / 60)).padStart(2, '0')}:${String(minutes % 60).padStart(2, '0')}`
}
