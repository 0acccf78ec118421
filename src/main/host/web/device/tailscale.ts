import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { CodedError } from '../../../../shared/errors'

const statusOutput = z.object({ BackendState: z.string(), Self: z.object({ DNSName: z.string() }) })
const TIMEOUT_MS = 5000

/**
 * The name of this machine in its tailnet, from the `tailscale` program. `request.invalid` when it is not installed or
 * not connected.
 */
export async function tailnetName(program = 'tailscale'): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(program, ['status', '--json'], {
      timeout: TIMEOUT_MS,
      maxBuffer: 16 << 20,
      windowsHide: true,
    })
    const { BackendState, Self } = statusOutput.parse(JSON.parse(stdout))
    const name = Self.DNSName.replace(/\.$/, '').toLowerCase()
    if (BackendState !== 'Running' || !/^[a-z0-9.-]+$/.test(name)) throw new Error('it is not connected')
    return name
  } catch (error) {
    const isMissing = (error as NodeJS.ErrnoException).code === 'ENOENT'
    throw new CodedError(
      'request.invalid',
      isMissing
        ? 'The program tailscale is not installed. Install it from https://tailscale.com/download, or use --listen.'
        : `Tailscale cannot be used: ${(error as Error).message.trim()}. Run: tailscale up`,
      { cause: error },
    )
  }
}

/** What makes the device host on this loopback port reachable in the tailnet. */
export function tailscaleServe(name: string, port: number): { command: string; url: string } {
  return { command: `tailscale serve --bg https+insecure://127.0.0.1:${port}`, url: `https://${name}` }
}
