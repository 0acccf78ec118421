import type { Answer } from './model-server.ts'
import { sourceFile, SOURCE_FILES } from './scratch.ts'

/**
 * One call per step, in rotation: read a file, run `true`, grep. Never the same call three times, so that no guard of
 * the loop intervenes.
 */
export function cycle(steps: number): (n: number) => Answer | undefined {
  return (n) => {
    if (n >= steps) return undefined
    const kinds = [
      { name: 'Read', input: { path: sourceFile(n % SOURCE_FILES) } },
      { name: 'Bash', input: { command: 'true' } },
      { name: 'Grep', input: { pattern: 'needle', output_mode: 'content' } },
    ]
    return { calls: [kinds[n % 3]!] }
  }
}

export const KINDS = ['read', 'true', 'grep'] as const
