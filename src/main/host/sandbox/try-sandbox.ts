import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { describeDenial, describeSandbox, SANDBOX_NETWORKS, type SandboxLevel } from '../../../shared/model/sandbox'
import { findDenial } from '../../engine/sandbox/find-denial'
import { wrapCommand, type WrappedCommand } from '../../engine/sandbox/wrap-command'
import { commandEnv } from '../../engine/task/command-env'
import { shellOfThisMachine } from '../../engine/task/start-task'
import { wrong, type SandboxAction } from './sandbox-action'

/** The exit code when the command was not run at all. */
const NOT_RUN = 125
/** So much of the end of the output is looked at for what the sandbox refused. */
const KEPT_CHARS = 20_000

/** Ctrl+C is for the command; its end is waited for. */
function ignore(): void {
  // It has got the signal itself.
}

/** Runs a command in a sandbox, never without one, and says on stderr what the sandbox refused. Returns the command's exit code. */
export async function trySandbox({ sandboxes, session, settings, values }: SandboxAction, command: string): Promise<number> {
  const level: SandboxLevel = values['level'] === 'read-only' ? 'read-only' : 'project'
  const network = SANDBOX_NETWORKS.find((each) => each === values['network']) ?? (level === 'project' ? 'listed' : 'none')
  if (level === 'read-only' && network !== 'none') throw wrong('A read-only command has no network.')
  const policy = sandboxes.policy(session, { level, network })!
  const { root: cwd } = session
  let wrapped: WrappedCommand
  try {
    const env = { ...commandEnv(process.env, settings), PWD: cwd }
    wrapped = wrapCommand({ policy, command: shellOfThisMachine().path, args: ['-c', command], cwd, env })
  } catch (error) {
    process.stderr.write(`trestle: The command was not run. ${error instanceof Error ? error.message : String(error)}\n`)
    return NOT_RUN
  }
  process.on('SIGINT', ignore)
  try {
    const { code, output } = await run(wrapped)
    const denied = code === 0 ? undefined : findDenial({ policy, cwd, output, hosts: wrapped.deniedHosts() })
    if (denied) process.stderr.write(`trestle: ${describeDenial(denied, policy)}\n`)
    else if (code !== 0) process.stderr.write(`trestle: exit code ${code} in the sandbox (${describeSandbox(policy)}).\n`)
    return code
  } finally {
    process.removeListener('SIGINT', ignore)
    wrapped.close()
  }
}

function run({ command, args, env }: WrappedCommand): Promise<{ code: number; output: string }> {
  const child = spawn(command, args, { env, cwd: '/', stdio: ['inherit', 'pipe', 'pipe'] })
  let output = ''
  const pass = (from: Readable, to: NodeJS.WriteStream): void =>
    void from.on('data', (bytes: Buffer) => {
      output = (output + bytes.toString()).slice(-KEPT_CHARS)
      if (to.write(bytes)) return
      from.pause()
      to.once('drain', () => from.resume())
    })
  pass(child.stdout, process.stdout)
  pass(child.stderr, process.stderr)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code: code ?? 128 + (signal ? constants.signals[signal] : 0), output }))
  })
}
