import { cpuMs } from './cpu-time'

/** Processor time of one measurement: several time slices of the system's scheduler. */
const SAMPLE_MS = 40
/** A machine this close to its full pace counts as idle. */
const IDLE = 1.3
/** Several processes wait for the processor one by one, and each wait is longer than the average. */
const PROCESSES = 3

/**
 * `limitMs` on an idle machine; on a busy one, extended by the time a program waits there for a processor. For limits
 * in seconds on what several processes do together: a delay in the product fails the test on an idle machine, but load
 * from other programs never does. Use `cpuMs` for what one thread computes.
 */
export function limitNow(limitMs: number): number {
  const [wall, used] = [performance.now(), cpuMs()]
  while (cpuMs() - used < SAMPLE_MS);
  const pace = (performance.now() - wall) / (cpuMs() - used)
  return pace < IDLE ? limitMs : limitMs * pace * PROCESSES
}
