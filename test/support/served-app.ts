import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'

const CLI = join(import.meta.dirname, '..', '..', 'out', 'main', 'cli.js')

export interface ServedApp {
  /** Includes its token. */
  url: string
  pid: number
  /** Ends the program and waits until it has exited. */
  close(): Promise<void>
  /** The same with SIGKILL. */
  kill(): Promise<void>
}

/**
 * Starts the built program's web host with exactly this environment. `options`: additional arguments. `program`: how to
 * start the program.
 */
export async function serveApp(
  env: Record<string, string>,
  options: readonly string[] = [],
  program: readonly string[] = [process.execPath, CLI],
): Promise<ServedApp> {
  if (!existsSync(CLI)) throw new Error('The program is not built: npm run build')
  const [command = '', ...args] = program
  const child = spawn(command, [...args, 'serve', ...options], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await new Promise<string>((resolve, reject) => {
    let out = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      out += text
      const found = /http:\/\/\S+/.exec(out)
      if (found) resolve(found[0])
    })
    child.once('error', reject)
    child.once('exit', (code) =>
      reject(new Error(`The program ended with ${code} before it printed its address: ${out}`)),
    )
  })
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return
    child.kill(signal)
    await once(child, 'exit')
  }
  return {
    url,
    pid: child.pid ?? 0,
    close: () => end('SIGTERM'),
    kill: () => end('SIGKILL'),
  }
}
