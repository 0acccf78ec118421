/**
 * Ends the process groups whose ids it has read (`+ID`, and `-ID` for those that have ended) as soon as its input is
 * closed, because the process that started them has then exited. See spawn-together.ts.
 */
const MAX_WAIT_MS = 5_000
const hasGroups = process.platform !== 'win32'
const pids = new Set<number>()
let rest = ''

process.stdin.setEncoding('utf8')
process.stdin.on('data', (text: string) => {
  const lines = (rest + text).split('\n')
  rest = lines.pop() ?? ''
  for (const line of lines) {
    if (line.startsWith('+')) pids.add(Number(line.slice(1)))
    else pids.delete(Number(line.slice(1)))
  }
})
process.stdin.once('close', () => {
  signal('SIGTERM')
  const until = performance.now() + MAX_WAIT_MS
  const timer = setInterval(() => {
    signal(0)
    if (pids.size > 0 && performance.now() < until) return
    signal('SIGKILL')
    clearInterval(timer)
  }, 50)
})

/** Removes those that have exited. */
function signal(name: NodeJS.Signals | 0): void {
  for (const pid of pids) {
    try {
      process.kill(hasGroups ? -pid : pid, name)
    } catch {
      pids.delete(pid)
    }
  }
}
