/**
 * The processor time that this thread has used, in ms: unlike the clock, it stands still while a busy machine does
 * something else. Before Node 23.9, which added the time per thread, the time of the whole process.
 */
export function threadTime(): number {
  const { user, system } = typeof process.threadCpuUsage === 'function' ? process.threadCpuUsage() : process.cpuUsage()
  return (user + system) / 1000
}
