/**
 * Processor time of this thread in milliseconds. Use it for limits on our own computations: they also hold on a busy
 * machine, where wall time means little.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
