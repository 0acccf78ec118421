import { cpuMs } from './cpu-time'

/** Processor time of one measurement: several turns of the system's scheduler. */
const SAMPLE_MS = 40
/** A machine this close to its full pace counts as idle. */
const IDLE = 1.3
/** Several processes wait for the processor one after the other, and each wait is longer than the average. */
const PROCESSES = 3

/**
 * `limitMs` on an idle machine; on a busy one it is longer by as much as a program there waits for a processor. For
 * promises in seconds about what several processes do together: a wait of the product fails on an idle machine, and
 * what other programs take fails nowhere. What one thread computes is measured in `cpuMs`.
 */
export function limitNow(limitMs: number): number {
  const [wall, used] = [performance.now(), cpuMs()]
  while (cpuMs() - used < SAMPLE_MS);
  const pace = (performance.now() - wall) / (cpuMs() - used)
  return pace < IDLE ? limitMs : limitMs * pace * PROCESSES
}
