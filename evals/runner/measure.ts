import type { RecordedEvent } from '../../src/shared/events/event'

/** The cost of a run. */
export interface Measures {
  /** Answers of the model, those of subagents included. */
  steps: number
  /** Requests to the provider: steps, their retries, and compactions. */
  requests: number
  compactions: number
  toolCalls: number
  /** Calls whose result was an error. */
  failedCalls: number
  /** Tokens: `input` is all input, of which `cached` was read from the provider's cache and `uncached` was not. */
  input: number
  cached: number
  uncached: number
  output: number
  /** Dollars at list prices; absent when the price of the model is not known. */
  cost?: number
  seconds: number
}

/** Adds up the logs of a session and its subagents. */
export function measure(events: readonly RecordedEvent[], seconds: number): Measures {
  const count = (...types: RecordedEvent['type'][]): number => events.filter(({ type }) => types.includes(type)).length
  const usages = events.flatMap((event) => ('usage' in event && event.usage ? [event.usage] : []))
  const sum = (of: (usage: (typeof usages)[number]) => number): number =>
    usages.reduce((total, usage) => total + of(usage), 0)
  const input = sum((usage) => usage.input)
  const cached = sum((usage) => usage.cached)
  const isPriced = usages.length > 0 && usages.every((usage) => usage.cost !== undefined)
  return {
    steps: count('step.finished'),
    requests: count('step.finished', 'step.retried', 'compaction.finished', 'compaction.retried', 'sampling.finished'),
    compactions: count('compaction.finished'),
    toolCalls: count('tool.finished'),
    failedCalls: events.filter((event) => event.type === 'tool.finished' && event.isError).length,
    input,
    cached,
    uncached: input - cached,
    output: sum((usage) => usage.output),
    ...(isPriced && { cost: sum((usage) => usage.cost ?? 0) }),
    seconds,
  }
}

/** The sums, or averages, over several runs; with a cost only when every run has one. */
export function total(all: readonly Measures[]): Measures {
  const sum = (of: (one: Measures) => number): number => all.reduce((result, one) => result + of(one), 0)
  return {
    steps: sum((one) => one.steps),
    requests: sum((one) => one.requests),
    compactions: sum((one) => one.compactions),
    toolCalls: sum((one) => one.toolCalls),
    failedCalls: sum((one) => one.failedCalls),
    input: sum((one) => one.input),
    cached: sum((one) => one.cached),
    uncached: sum((one) => one.uncached),
    output: sum((one) => one.output),
    ...(all.length > 0 && all.every((one) => one.cost !== undefined) && { cost: sum((one) => one.cost ?? 0) }),
    seconds: sum((one) => one.seconds),
  }
}
