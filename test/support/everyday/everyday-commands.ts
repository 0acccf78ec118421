import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

export type Ecosystem = 'node' | 'python' | 'rust' | 'go' | 'general'

/**
 * One of the 100 commands in commands.jsonl, which was written before anything was tuned to it and must not be changed.
 * `needs`: programs by name, and these other requirements of a real run: `network` (a host that answers), `remote` (a
 * remote repository), `stays running` (it ends only when it is stopped), `tool <name>` (a tool in the sample project).
 */
export interface EverydayCommand {
  command: string
  ecosystem: Ecosystem
  needs: string[]
}

export function everydayCommands(): EverydayCommand[] {
  return readFileSync(new URL('./commands.jsonl', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line): EverydayCommand => JSON.parse(line))
}

/**
 * Why the command cannot run here, or undefined. Tests stay on this machine, so commands that need a network never run.
 */
export function whyNotHere({ needs }: EverydayCommand): string | undefined {
  for (const need of needs) {
    if (need === 'network' || need === 'remote') return 'it needs a network'
    if (need === 'stays running') return 'it does not exit'
    if (need.startsWith('tool ') ? need === 'tool pytest-cov' : !isInstalled(need)) return `${need} is not installed`
  }
  return undefined
}

const installed = new Map<string, boolean>()

function isInstalled(program: string): boolean {
  const known = installed.get(program)
  if (known !== undefined) return known
  let found = true
  try {
    execFileSync('bash', ['-c', 'command -v "$1"', 'bash', program], { stdio: 'ignore' })
    // Shims of version managers exist for every program, whether or not a version is installed.
    execFileSync(program, [program === 'go' ? 'version' : '--version'], { stdio: 'ignore' })
  } catch {
    found = false
  }
  installed.set(program, found)
  return found
}
