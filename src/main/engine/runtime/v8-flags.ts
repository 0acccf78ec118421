import { setFlagsFromString } from 'node:v8'

/** What a process may change of V8 while it runs, and how each is taken back. */
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

/** V8 has it for these processors only, and elsewhere no such flag. */
const HAS_MAGLEV = process.arch === 'x64' || process.arch === 'arm64'

const changed = new Set<V8Flag>()

/** Sets a flag of V8 for the rest of the process, or until `resetV8Flag`. */
export function setV8Flag(flag: V8Flag): void {
  changed.add(flag)
  setFlagsFromString(flag)
}

/**
 * For a process that works for a long time: a heap that grows slowly costs little processor time and saves 20 to 60 MB.
 * Maglev, the quick one of V8's optimizing compilers, leaves 10 to 20 MB of its own in the allocator in a turn of
 * hundreds of steps; it saves no processor time there, and about 4 % in one of thousands.
 */
export function growSlowly(): void {
  setV8Flag('--semi-space-growth-factor=1')
  setV8Flag('--heap-growing-percent=20')
  if (HAS_MAGLEV) setV8Flag('--no-maglev')
}

/** Takes a flag back. */
export function resetV8Flag(flag: V8Flag): void {
  changed.delete(flag)
  setFlagsFromString(DEFAULTS[flag])
}

/** Runs something as if no flag had been changed: V8 takes compiled code only under the flags it was compiled with. */
export function withDefaultV8Flags<T>(run: () => T): T {
  for (const flag of changed) setFlagsFromString(DEFAULTS[flag])
  try {
    return run()
  } finally {
    for (const flag of changed) setFlagsFromString(flag)
  }
}
