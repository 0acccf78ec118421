import { useState } from 'react'

/** Maximum number of fields whose input is kept; the least recently changed one is dropped first. */
const MAX_KEPT = 50

/** Unsent input, by request and field, so that it survives switching sessions. */
const kept = new Map<string, unknown>()

export function keptInput<Value>(approvalId: string, field: string, initial: Value): Value {
  const key = `${approvalId}\n${field}`
  return kept.has(key) ? (kept.get(key) as Value) : initial
}

export function keepInput(approvalId: string, field: string, value: unknown): void {
  const key = `${approvalId}\n${field}`
  kept.delete(key)
  kept.set(key, value)
  const [oldest] = kept.keys()
  if (oldest !== undefined && kept.size > MAX_KEPT) kept.delete(oldest)
}

/** State of a field of a request that outlives its card. Not for secrets. */
export function useKeptInput<Value>(
  approvalId: string,
  field: string,
  initial: Value,
): [value: Value, change: (next: Value) => void] {
  const [value, setValue] = useState(() => keptInput(approvalId, field, initial))
  return [
    value,
    (next) => {
      keepInput(approvalId, field, next)
      setValue(next)
    },
  ]
}
