import { fstatSync, readFileSync } from 'node:fs'
import { createInterface } from 'node:readline/promises'

/** Number of fingerprint characters to type. */
const TYPED_CHARS = 6

/** Whether a person at a terminal typed the start of the fingerprint of what they were shown. */
export type Consent = 'given' | 'wrong' | 'interrupted'

/** Asks a person at this terminal to type the start of the fingerprint; `purpose` completes "To … , type …". */
export async function askForFingerprint(purpose: string, hash: string): Promise<Consent> {
  const lines = createInterface({ input: process.stdin, output: process.stdout })
  let isInterrupted = false
  lines.once('SIGINT', () => {
    isInterrupted = true
    lines.close()
  })
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
  const typed = await Promise.race([
    lines.question(`To ${purpose}, type the first ${TYPED_CHARS} characters of the fingerprint: `),
    closed,
  ])
  lines.close()
  if (isInterrupted) return 'interrupted'
  return typed.trim().toLowerCase() === hash.slice(0, TYPED_CHARS) ? 'given' : 'wrong'
}

/** Whether stdin and stdout are this session's terminal, with this program in the foreground. */
export function isOwnTerminal(): boolean {
  if (!process.stdin.isTTY || !process.stdout.isTTY) return false
  if (process.platform !== 'linux') return true
  try {
    const stat = readFileSync('/proc/self/stat', 'latin1')
    const fields = stat
      .slice(stat.lastIndexOf(')') + 2)
      .split(' ')
      .map(Number)
    const [group, terminal, foreground] = [fields[2], fields[4], fields[5]]
    return group === foreground && terminal !== 0 && [0, 1].every((fd) => fstatSync(fd).rdev === terminal)
  } catch {
    return false
  }
}
