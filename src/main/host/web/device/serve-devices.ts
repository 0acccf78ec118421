import { hostname } from 'node:os'
import type { LogBug } from '../../../api/implementer'
import type { Engine } from '../../../engine/engine-api'
import { publishDeviceAddress } from '../../../engine/pairing/device-address'
import { PairedDevices } from '../../../engine/pairing/paired-devices'
import type { DeviceAddress } from '../../../../shared/model/paired-device'
import { pairingText } from '../../../console/pairing-text'
import type { JoinedEngine } from '../../../role/joined-engine'
import { givenCertificate, ownCertificate } from './certificate'
import { addressesOf, startDeviceHost } from './device-host'
import type { ListenOptions } from './listen-options'
import { tailnetName, tailscaleServe } from './tailscale'

/**
 * Listens for devices as the options say, and tells other processes of the home where. Returns what the user is to
 * read, and how to stop. Rejects with `host.port`, `device.certificate` or `request.invalid`.
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
  // The first device can be paired at once, by who reads this; a code in the log of a service would be for others, too.
  const isFirst = devices.list().length === 0
  const code = isFirst && process.stdout.isTTY ? devices.pair('full') : undefined
  return {
    text: `${addressText(published)}${code ? pairingText(code, published, true) : `To pair ${isFirst ? 'a' : 'another'} device: trestle device pair\n`}`,
    async close() {
      unpublish()
      if (code) devices.cancelPairing()
      await host.close()
    },
  }
}

/** As far as they are names that a certificate can hold. */
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
