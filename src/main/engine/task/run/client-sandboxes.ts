import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { wrapCommand } from '../../sandbox/bubblewrap/wrap-command'
import type { SandboxPolicy } from '../../sandbox/sandbox-policy'
import { sandboxSupport } from '../../sandbox/sandbox-support'
import type { ClientTerminalProvider } from './client-terminals'

/** A client that hasn't run a small program within this time is not tried again. */
const PROBE_MS = 5_000

/** Whether commands in terminals of clients can be sandboxed. */
export interface ClientSandboxes {
  /**
   * Tests each client once: a sandboxed program reads a random word from a file here, and the client reports the
   * output.
   */
  isSupported(provider: ClientTerminalProvider, cwd: string): Promise<boolean>
  /** The result of that test; undefined before it has finished. */
  knownSupport(provider: ClientTerminalProvider): boolean | undefined
}

export function createClientSandboxes({ home, userHome }: { home: string; userHome: string }): ClientSandboxes {
  const tried = new WeakMap<object, { result?: boolean; trial: Promise<boolean> }>()
  return {
    knownSupport: (provider) => tried.get(provider.client ?? provider)?.result,
    isSupported(provider, cwd) {
      const client = provider.client ?? provider
      const before = tried.get(client)
      if (before) return before.trial
      const entry: { result?: boolean; trial: Promise<boolean> } = {
        trial: testSandbox(provider, { home, userHome, cwd })
          .catch(() => false)
          .then((result) => (entry.result = result)),
      }
      tried.set(client, entry)
      return entry.trial
    },
  }
}

async function testSandbox(
  provider: ClientTerminalProvider,
  { home, userHome, cwd }: { home: string; userHome: string; cwd: string },
): Promise<boolean> {
  if (sandboxSupport().kind === 'none') return false
  mkdirSync(join(home, 'run'), { recursive: true, mode: 0o700 })
  const root = mkdtempSync(join(home, 'run', 'editor-'))
  try {
    const word = randomBytes(16).toString('hex')
    writeFileSync(join(root, 'word'), word, { mode: 0o600 })
    const nothing = { folders: [], write: [], read: [], protect: [], hosts: [], sockets: [] }
    const policy: SandboxPolicy = {
      level: 'read-only',
      network: 'none',
      scope: 'editor',
      root,
      ...nothing,
      home,
      userHome,
    }
    const wrapped = wrapCommand({
      policy,
      command: '/bin/sh',
      args: ['-c', 'read -r word <word; echo "$word"'],
      cwd: root,
      env: { PATH: '/usr/bin:/bin' },
    })
    try {
      return (await printed(provider, wrapped, cwd)).trim() === word
    } finally {
      wrapped.close()
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

async function printed(
  provider: ClientTerminalProvider,
  program: Pick<ReturnType<typeof wrapCommand>, 'command' | 'args' | 'env'>,
  cwd: string,
): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The client did not answer in time.')), PROBE_MS)
  })
  const { command, args, env } = program
  const terminal = provider.create({ command, args, env, cwd, maxBytes: 1_000 })
  // Also releases a terminal that opens too late.
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
