/**
 * The processor time that this thread has used, in ms: unlike the clock, it does not run while a busy machine does
 * something else. That of the whole process where Node does not tell it for a thread (before 23.9).
 */
export function threadTime(): number {
  const { user, system } = typeof process.threadCpuUsage === 'function' ? process.threadCpuUsage() : process.cpuUsage()
  return (user + system) / 1000
}
