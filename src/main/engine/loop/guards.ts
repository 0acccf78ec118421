import { textOf, type ToolCallPart, type ToolMessage } from '../../../shared/model/turn/message'
import { canonicalInput } from './merge-calls'

type Ending = 'max_steps' | 'repetition'

/** The same calls with the same results this many times in a row: the model is warned, twice, before the turn ends. */
const REPEATS_TO_WARN: readonly number[] = [4, 8]
const REPEATS_TO_END = 12
/** The longest pattern of steps that is recognized when it repeats: two calls in turn are a pattern of 2. */
const LONGEST_PATTERN = 3
/** A call that took this long was waiting or working: polling at that rate is not a loop. */
const MIN_WAIT_MS = 1_000

/** How many steps back the guards look. */
export const GUARDED_STEPS = REPEATS_TO_END * LONGEST_PATTERN

/** A finished step with calls. */
export interface GuardedStep {
  calls: readonly ToolCallPart[]
  results: readonly ToolMessage[]
  /** How long its longest call ran, in ms. */
  longestMs: number
}

export interface Guards {
  /** Checks a finished step; returns a warning for the model when steps repeat. */
  observe(step: GuardedStep): string | undefined
  /** Set when the turn must end with one last request in which no tool may be called. */
  ending(): Ending | undefined
  finalInstruction(ending: Ending, maxSteps: number): string
}

/**
 * Detects repetition in one turn: the same step, or the same two or three steps in turn, with the same results.
 * Differences in spelling (order of fields, whitespace, the description of a command) are ignored. A step that waited,
 * for a task or a long command, resets the count. `repeatsToEnd`: how many equal steps end the turn, at most 12.
 */
export function createGuards(repeatsToEnd = REPEATS_TO_END): Guards {
  const signatures: Signature[] = []
  /** For each length of a pattern: how many steps in a row equal the one that many steps earlier. */
  const equalSteps = Array.from({ length: LONGEST_PATTERN + 1 }, () => 0)
  const repeats = (length: number): number => Math.floor(equalSteps[length]! / length) + 1
  const lengths = Array.from({ length: LONGEST_PATTERN }, (_, index) => index + 1)
  return {
    observe(step) {
      if (waited(step)) {
        signatures.length = 0
        equalSteps.fill(0)
        return undefined
      }
      const now = signatureOf(step)
      for (const length of lengths)
        equalSteps[length] = isEqual(now, signatures.at(-length)) ? equalSteps[length]! + 1 : 0
      signatures.push(now)
      if (signatures.length > LONGEST_PATTERN) signatures.shift()
      // The shortest pattern that repeats: three equal steps are also one pattern of three.
      const length = lengths.find((each) => equalSteps[each]! > 0)
      if (
        length === undefined ||
        equalSteps[length]! % length !== 0 ||
        !REPEATS_TO_WARN.includes(repeats(length)) ||
        repeats(length) >= repeatsToEnd
      )
        return undefined
      const what = length === 1 ? 'made the same call' : `made the same ${length} calls in turn`
      return (
        `You have ${what} with the same result ${repeats(length)} times in a row. ` +
        `The turn ends at ${repeatsToEnd}. Try another way, or answer with what you have. ` +
        'To wait for a background task, call TaskOutput with block: true.'
      )
    },
    ending: () => (lengths.some((length) => repeats(length) >= repeatsToEnd) ? 'repetition' : undefined),
    finalInstruction(ending, maxSteps) {
      const why =
        ending === 'max_steps'
          ? `This turn has used all of its ${maxSteps} steps.`
          : 'You keep making the same call with the same result.'
      return (
        `${why} No further tool can be called. ` +
        'Give the best answer you have so far: what is done, what is not, and what should happen next.'
      )
    },
  }
}

function waited({ calls, results, longestMs }: GuardedStep): boolean {
  // Short waits count too: TaskOutput reports when it timed out.
  const gaveUp = results.some(
    ({ name, content }) => name === 'TaskOutput' && textOf(content).startsWith('retrieval_status: timeout'),
  )
  return longestMs >= MIN_WAIT_MS || (gaveUp && longestMs > 0 && calls.length > 0)
}

/** The parts of a step that are compared with later ones. */
interface Signature {
  calls: string
  results: readonly ToolMessage[]
}

function signatureOf({ calls, results }: GuardedStep): Signature {
  return { calls: JSON.stringify(calls.map(normalizedCall)), results }
}

/** Compares calls first: they nearly always differ, so the results, which may be long, need not be compared. */
function isEqual(one: Signature, other: Signature | undefined): boolean {
  return one.calls === other?.calls && textOfResults(one) === textOfResults(other)
}

function textOfResults({ results }: Signature): string {
  return JSON.stringify(results.map(({ isError, content }) => [isError, content]))
}

/** A call without differences in spelling. */
function normalizedCall({ name, input }: ToolCallPart): string {
  const canonical = canonicalInput(input)
  const relevant = name === 'Bash' ? canonical.replace(/"description":"[^"\\]*(?:\\.[^"\\]*)*",?/, '') : canonical
  return `${name} ${relevant.replaceAll(/(?:\\[nrt]|\s)+/g, ' ')}`
}
