/**
 * Milliseconds of processor time that this thread has used. Limits on how long our own code computes are in these:
 * they hold on a busy machine too, where the clock says little.
 */
export function cpuMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}
