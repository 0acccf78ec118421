import { appendFileSync, mkdirSync, renameSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

const MOST_BYTES = 1 << 20

/** A log file that never grows beyond about 2 MB: at 1 MB it becomes `<file>.old`. Writing never throws; what cannot be written goes to stderr. */
export function desktopLog(file: string): (message: string) => void {
  return (message) => {
    const line = `${new Date().toISOString()} ${message}\n`
    try {
      mkdirSync(dirname(file), { recursive: true })
      if (sizeOf(file) > MOST_BYTES) renameSync(file, `${file}.old`)
      appendFileSync(file, line, { mode: 0o600 })
    } catch {
      process.stderr.write(line)
    }
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}
