import { randomBytes } from 'node:crypto'
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { sandboxSupport } from '../sandbox/find-sandbox'
import type { SandboxPolicy } from '../sandbox/sandbox-policy'
import { wrapCommand } from '../sandbox/wrap-command'
import type { TerminalLender } from './borrowed-terminals'

/** A client that has not run a small program after so long is not asked again. */
const PROBE_MS = 5_000

/** Whether commands in terminals of clients can be sandboxed. */
export interface LentSandboxes {
  /** Tries it once for each client: a sandboxed program reads a random word from a file here, and the client tells what it printed. */
  works(lender: TerminalLender, cwd: string): Promise<boolean>
  /** What that has shown; undefined when it was not tried yet. */
  known(lender: TerminalLender): boolean | undefined
}

export function createLentSandboxes({ home, userHome }: { home: string; userHome: string }): LentSandboxes {
  const tried = new WeakMap<object, { result?: boolean; trial: Promise<boolean> }>()
  return {
    known: (lender) => tried.get(lender.client ?? lender)?.result,
    works(lender, cwd) {
      const client = lender.client ?? lender
      const before = tried.get(client)
      if (before) return before.trial
      const entry: { result?: boolean; trial: Promise<boolean> } = {
        trial: tryOut(lender, { home, userHome, cwd })
          .catch(() => false)
          .then((result) => (entry.result = result)),
      }
      tried.set(client, entry)
      return entry.trial
    },
  }
}

async function tryOut(lender: TerminalLender, { home, userHome, cwd }: { home: string; userHome: string; cwd: string }): Promise<boolean> {
  if (sandboxSupport().kind === 'none') return false
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 })
  const root = mkdtempSync(join(home, 'run', 'editor-'))
  try {
    const word = randomBytes(16).toString('hex')
    writeFileSync(join(root, 'word'), word, { mode: 0o600 })
    const nothing = { folders: [], write: [], read: [], protect: [], hosts: [], sockets: [] }
    const policy: SandboxPolicy = { level: 'read-only', network: 'none', scope: 'editor', root, ...nothing, home, userHome }
    const wrapped = wrapCommand({
      policy,
      command: '/bin/sh',
      args: ['-c', 'read -r word <word; echo "$word"'],
      cwd: root,
      env: { PATH: '/usr/bin:/bin' },
    })
    try {
      return (await printed(lender, wrapped, cwd)).trim() === word
    } finally {
      wrapped.close()
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function printed(
  lender: TerminalLender,
  program: Pick<ReturnType<typeof wrapCommand>, 'command' | 'args' | 'env'>,
  cwd: string,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The client did not answer in time.')), PROBE_MS)
  })
  const { command, args, env } = program
  const terminal = lender.create({ command, args, env, cwd, maxBytes: 1_000 })
  // Also one that comes too late is let go.
  const release = (): void => void terminal.then((each) => each.release()).catch(() => undefined)
  try {
    const opened = await Promise.race([terminal, late])
    await Promise.race([opened.ended(), late])
    return (await Promise.race([opened.output(), late])).text
  } finally {
    clearTimeout(timer)
    late.catch(() => undefined)
    release()
  }
}
