import { hostname } from 'node:os'
import type { LogBug } from '../../../api/implementer'
import type { Engine } from '../../../engine/engine-api'
import { publishDeviceAddress } from '../../../engine/pairing/device-address'
import { PairedDevices } from '../../../engine/pairing/paired-devices'
import type { DeviceAddress } from '../../../../shared/model/place/paired-device'
import { pairingText } from '../../../console/pairing-text'
import type { JoinedEngine } from '../../../role/joined-engine'
import { givenCertificate, ownCertificate } from './certificate'
import { addressesOf, startDeviceHost } from './device-host'
import type { ListenOptions } from './listen-options'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'
import { CodedError } from '../../../../shared/errors'
import { errorCode } from '../../../../shared/error-text'

const statusOutput = z.object({ BackendState: z.string(), Self: z.object({ DNSName: z.string() }) })
const TIMEOUT_MS = 5000

/**
 * The name of this machine in its tailnet, from the `tailscale` program. `request.invalid` when it is not installed or
 * not connected.
 */
async function tailnetName(program = 'tailscale'): Promise<string> {
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
    const isMissing = errorCode(error) === 'ENOENT'
    throw new CodedError(
      'request.invalid',
      isMissing
        ? 'The program tailscale is not installed. Install it from https://tailscale.com/download, or use --listen.'
        : `Tailscale cannot be used: ${(error as Error).message.trim()}. Run: tailscale up`,
      { cause: error },
    )
  }
}

/** The command that makes the device host on this loopback port reachable in the tailnet. */
function tailscaleServe(name: string, port: number): { command: string; url: string } {
  return { command: `tailscale serve --bg https+insecure://127.0.0.1:${port}`, url: `https://${name}` }
}

/**
 * Listens for devices according to the options, and publishes the address to other processes of the home. Returns the
 * text for the user, and a function to stop. Rejects with `host.port`, `device.certificate` or `request.invalid`.
 */
export async function serveDevices({
  engine,
  rendererDir,
  listen,
  logBug,
}: {
  engine: Engine | JoinedEngine
  rendererDir: string
  listen: ListenOptions
  logBug: LogBug
}): Promise<{ text: string; close(): Promise<void> }> {
  const { home } = engine
  const devices = new PairedDevices(home)
  const tailnet = listen.tailscale ? await tailnetName() : undefined
  const certificate = listen.certificate
    ? givenCertificate(listen.certificate.cert, listen.certificate.key)
    : await ownCertificate(home, [...listen.names, ...addressesOf(listen.address), ...ownNames()])
  const { address, port, names } = listen
  const host = await startDeviceHost({
    engine,
    rendererDir,
    devices,
    address,
    port,
    certificate,
    names: [...names.map((name) => `${name}:${port}`), ...(tailnet === undefined ? [] : [`${tailnet}:443`])],
    logBug,
  })
  const tailscale = tailnet === undefined ? undefined : tailscaleServe(tailnet, host.port)
  const published: DeviceAddress = {
    urls: [...(tailscale ? [tailscale.url] : []), ...names.map((name) => `https://${name}:${host.port}`), ...host.urls],
    fingerprint: host.fingerprint,
    isOwnCertificate: certificate.isOwn,
    ...(tailscale && { tailscale }),
  }
  const unpublish = publishDeviceAddress(home, published)
  // The user who reads this at a terminal can pair the first device immediately. Without a terminal, there is no code,
  // because others could read it in the log of a service.
  const isFirst = devices.list().length === 0
  const code = isFirst && process.stdout.isTTY ? devices.pair('full') : undefined
  const pairing = code
    ? pairingText(code, published, true)
    : `To pair ${isFirst ? 'a' : 'another'} device: trestle device pair\n`
  return {
    text: addressText(published) + pairing,
    async close() {
      unpublish()
      if (code) devices.cancelPairing()
      await host.close()
    },
  }
}

/** The names that a certificate can contain. */
function ownNames(): string[] {
  const name = hostname().toLowerCase()
  return /^[a-z0-9-]+(\.[a-z0-9-]+)*$/.test(name) ? [name, ...(name.includes('.') ? [] : [`${name}.local`])] : []
}

function addressText({ urls, tailscale }: DeviceAddress): string {
  const [url = ''] = urls
  return tailscale
    ? `Devices of your tailnet reach it at ${url} while this runs, after: ${tailscale.command}\n`
    : `Devices reach it at ${url}\n`
}
