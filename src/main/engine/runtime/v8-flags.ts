import { setFlagsFromString } from 'node:v8'

/** The V8 flags that a process may change at run time, with their defaults. */
const DEFAULTS = {
  '--semi-space-growth-factor=1': '--semi-space-growth-factor=2',
  '--heap-growing-percent=20': '--heap-growing-percent=0',
  '--no-maglev': '--maglev',
  '--no-incremental-marking': '--incremental-marking',
  '--no-wasm-tier-up': '--wasm-tier-up',
  '--no-wasm-dynamic-tiering': '--wasm-dynamic-tiering',
  '--expose-gc': '--no-expose-gc',
} as const

export type V8Flag = keyof typeof DEFAULTS

/** Maglev, and its flag, exist only for these processors. */
const HAS_MAGLEV = process.arch === 'x64' || process.arch === 'arm64'

const changed = new Set<V8Flag>()

/** Sets a V8 flag for the rest of the process, or until `resetV8Flag`. */
export function setV8Flag(flag: V8Flag): void {
  changed.add(flag)
  setFlagsFromString(flag)
}

/**
 * For a process that works for a long time: a heap that grows slowly costs little processor time and saves 20 to 60 MB.
 * Maglev, V8's fast optimizing compiler, leaves 10 to 20 MB in the allocator in a turn of hundreds of steps. It saves
 * no processor time in such a turn, and about 4% in a turn of thousands.
 */
export function growSlowly(): void {
  setV8Flag('--semi-space-growth-factor=1')
  setV8Flag('--heap-growing-percent=20')
  if (HAS_MAGLEV) setV8Flag('--no-maglev')
}

/** Resets a flag to its default. */
export function resetV8Flag(flag: V8Flag): void {
  changed.delete(flag)
  setFlagsFromString(DEFAULTS[flag])
}

/**
 * Runs something as if no flag had been changed: V8 accepts compiled code only under the flags it was compiled with.
 */
export function withDefaultV8Flags<T>(run: () => T): T {
  for (const flag of changed) setFlagsFromString(DEFAULTS[flag])
  try {
    return run()
  } finally {
    for (const flag of changed) setFlagsFromString(flag)
  }
}
