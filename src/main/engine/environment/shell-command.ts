import { posix } from 'node:path'

/** The program that can print its environment as JSON: Node's executable. */
export interface NodeProgram {
  path: string
  /** What makes it run as plain Node. */
  env?: Readonly<Record<string, string>>
}

/**
 * The arguments that make a shell read all of its startup files, as in a new terminal, and print its environment between two marks. Nothing in the
 * scripts needs quoting, so one form fits every shell. Without Node `env -0` prints it; both are run when both are there, in case one fails.
 */
export function shellArguments(shell: string, node: NodeProgram | undefined, mark: string): string[] {
  const kind = kindOf(shell)
  const run = (...words: string[]): string => CALL[kind] + words.map((word) => quoted(kind, word)).join(' ')
  const print = [
    ...(node ? [run(node.path, '-p', `/${mark}/.source+JSON.stringify(process.env)+/${mark}/.source`)] : []),
    run('/bin/sh', '-c', `printf ${mark}; env -0; printf ${mark}`),
  ].join('; ')
  if (kind === 'powershell') return ['-Login', '-Command', print]
  // A C shell takes -l only when it is alone.
  if (kind === 'csh') return ['-i', '-c', print]
  return ['-i', '-l', '-c', print]
}

type Kind = 'posix' | 'fish' | 'nushell' | 'powershell' | 'csh'

/** What calls a program whose name is in quotes. */
const CALL: Readonly<Record<Kind, string>> = { posix: '', fish: '', csh: '', nushell: '^', powershell: '& ' }

function kindOf(shell: string): Kind {
  const name = posix
    .basename(shell)
    .toLowerCase()
    .replace(/^-|\.exe$/g, '')
  if (/^fish\b/.test(name)) return 'fish'
  if (/^nu(?:shell)?$/.test(name)) return 'nushell'
  if (/^(?:pwsh|powershell)\b/.test(name)) return 'powershell'
  if (/^t?csh\b/.test(name)) return 'csh'
  return 'posix'
}

function quoted(kind: Kind, word: string): string {
  if (kind === 'nushell') return word.includes("'") ? `"${word.replaceAll(/["\\]/g, '\\$&')}"` : `'${word}'`
  const inside: Record<Exclude<Kind, 'nushell'>, string> = { fish: "\\'", powershell: "''", posix: "'\\''", csh: "'\\''" }
  return `'${word.replaceAll("'", inside[kind])}'`
}
