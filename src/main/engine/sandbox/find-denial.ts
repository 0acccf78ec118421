import { existsSync, statSync } from 'node:fs'
import { dirname, isAbsolute, resolve } from 'node:path'
import type { SandboxDenial } from '../../../shared/model/task/sandbox'
import { isWithin } from '../workspace/path/real-path'
import { sensitiveRule } from '../workspace/path/sensitive-file'
import type { SandboxPolicy } from './sandbox-policy'

/** What is known about a sandboxed command that failed. */
export interface FailedCommand {
  policy: SandboxPolicy
  cwd: string
  /** The end of what it printed. */
  output: string
  /** What the proxy refused while it ran. */
  hosts: readonly { host: string; port: number }[]
}

/** The prefix of a shell's own messages; the shell's name is not the path that was refused. */
const SHELL_PREFIX = /^\S*\b(?:ba|da|z|k)?sh: (?:line )?(?:\d+: )?/
/** Only the end of the output is searched: the error usually comes last, and this bounds the time. */
const MAX_CHARS = 20_000
const READ_ONLY = /read-only file system|EROFS/i
const DENIED = /permission denied|EACCES|operation not permitted|EPERM/i
const MISSING = /no such file or directory|nonexistent|ENOENT|not found|cannot access/i
const BUSY = /device or resource busy|EBUSY/i
const NO_NAME = [
  /Could not resolve host(?:name)?:? ['"]?([\w.-]+)/i,
  /(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ENETUNREACH) ([\w-]+(?:\.[\w-]+)+)/,
  /host=['"]([\w.-]+)['"]/,
  /lookup ([\w-]+(?:\.[\w-]+)+)(?: on|:)/,
  /Name or service not known.*?([\w-]+(?:\.[\w-]+)+)/i,
  /([\w-]+(?:\.[\w-]+)+): (?:Temporary failure in name resolution|Name or service not known|nodename nor servname)/i,
  /unable to access ['"]?https?:\/\/([\w.-]+)/i,
  /connect to host ([\w.-]+) port/i,
]

/**
 * What the sandbox denied, as far as the output shows; undefined when nothing points to the sandbox. Only a guess: the
 * card it leads to shows what would be allowed, and the user decides.
 */
export function findDenial({ policy, cwd, output, hosts }: FailedCommand): SandboxDenial | undefined {
  const [host] = hosts
  if (host) return { kind: 'host', host: host.host, port: host.port }
  const lines = output.slice(-MAX_CHARS).split('\n')
  if (policy.network !== 'open') {
    for (const line of lines) {
      const named = NO_NAME.map((pattern) => pattern.exec(line.slice(0, 2_000))?.[1]).find(
        (name) => name !== undefined && !isLocal(name),
      )
      if (named !== undefined) return { kind: 'host', host: named.toLowerCase().replace(/\.$/, ''), port: 443 }
    }
  }
  for (const line of lines) {
    const denial = pathDenial(line.slice(0, 2_000), policy, cwd)
    if (denial) return denial
  }
  return undefined
}

function pathDenial(line: string, policy: SandboxPolicy, cwd: string): SandboxDenial | undefined {
  const readOnly = READ_ONLY.test(line) || BUSY.test(line)
  if (!readOnly && !DENIED.test(line) && !MISSING.test(line)) return undefined
  const roots = [policy.root, ...policy.folders]
  const said = line.replace(SHELL_PREFIX, '')
  const at =
    [READ_ONLY, BUSY, DENIED, MISSING].map((pattern) => said.search(pattern)).find((index) => index >= 0) ?? said.length
  for (const path of pathsIn(said, cwd, at)) {
    const inside = roots.some((root) => isWithin(path, root))
    if (readOnly && (!inside || policy.level === 'project'))
      return { kind: 'path', path: granted(path), access: 'write' }
    if (DENIED.test(line) && sensitiveRule(path) !== undefined && existsSync(path))
      return { kind: 'path', path, access: 'read' }
    if (!MISSING.test(line) || inside) continue
    if (existsSync(path)) return { kind: 'path', path, access: 'read' }
    // Its folder exists outside, so the command tried to create it.
    if (existsSync(dirname(path))) return { kind: 'path', path: granted(path), access: 'write' }
  }
  return undefined
}

/**
 * Paths in a line of output, nearest to the message first: quoted ones, absolute ones, and words before a colon.
 */
function pathsIn(line: string, cwd: string, message: number): string[] {
  const patterns = [/['"‘`]([^'"’`]+)['"’`]/g, /(?:^|[\s:=(])((?:\/[^\s:'"(),]+)+)/g, /(?:^|: )([\w.@-][\w./@-]*):/g]
  const found = patterns.flatMap((pattern) =>
    [...line.matchAll(pattern)].map((match) => ({ text: match[1]!, at: match.index })),
  )
  return found
    .toSorted((a, b) => Math.abs(message - a.at - a.text.length) - Math.abs(message - b.at - b.text.length))
    .flatMap(({ text }) => (text.includes('\0') ? [] : [isAbsolute(text) ? text : resolve(cwd, text)]))
}

/**
 * What to open so that this path can be written: a folder itself, or the folder above a file, since programs replace
 * files.
 */
function granted(path: string): string {
  for (let at = path; at !== dirname(at); at = dirname(at)) {
    const stats = statSync(at, { throwIfNoEntry: false })
    if (stats?.isDirectory()) return at
  }
  return path
}

function isLocal(name: string): boolean {
  return name === 'localhost' || name === '127.0.0.1' || !name.includes('.')
}
