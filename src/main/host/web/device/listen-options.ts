import { isIP } from 'node:net'
import { UsageError, type Parsed } from '../../../console/parse-command'
import type { DeviceSettings } from '../../../engine/config/settings/host-settings'

/** The default port, so that a device finds the same address again. */
const DEFAULT_PORT = 4747

/** Where and how Trestle listens for devices. */
export interface ListenOptions {
  address: string
  port: number
  /** Other names of this machine. */
  names: string[]
  certificate?: { cert: string; key: string }
  tailscale: boolean
}

/**
 * The options of `trestle serve`, with defaults from the settings; undefined: do not listen for devices. Throws a
 * `UsageError` for invalid values.
 */
export function listenOptions(values: Parsed['values'], settings: DeviceSettings): ListenOptions | undefined {
  const given = (name: string): string | undefined => {
    const value = values[name]
    return typeof value === 'string' && value !== '' ? value : undefined
  }
  const tailscale = values['tailscale'] === true || settings.tailscale
  // Tailscale connects through loopback; no other port needs to be open.
  const listen = given('listen') ?? (settings.listen || (tailscale ? '127.0.0.1' : ''))
  const cert = given('cert') ?? settings.cert
  const key = given('key') ?? settings.key
  if ((cert === '') !== (key === '')) throw wrong('A certificate of your own needs both --cert and --key.')
  if (listen === '') {
    if (given('cert') !== undefined || given('name') !== undefined)
      throw wrong('--cert, --key and --name go with --listen or --tailscale.')
    return undefined
  }
  const name = given('name') ?? settings.name
  if (name !== '' && !isHostName(name)) throw wrong(`--name: ${JSON.stringify(name)} is not the name of a machine.`)
  return {
    ...listenAddress(listen),
    names: name === '' ? [] : [name.toLowerCase()],
    ...(cert !== '' && { certificate: { cert, key } }),
    tailscale,
  }
}

/** `192.168.1.5`, `192.168.1.5:4747`, `[::1]:4747`, `::1`. */
export function listenAddress(text: string): { address: string; port: number } {
  const found = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text)
  const address = isIP(text) === 6 ? text : (found?.[1] ?? found?.[2] ?? '')
  const port = isIP(text) === 6 || found?.[3] === undefined ? DEFAULT_PORT : Number(found[3])
  if (isIP(address) === 0 || address.includes('%') || port > 65_535)
    throw wrong(
      `--listen needs an address of this machine, such as 192.168.1.5 or 192.168.1.5:${DEFAULT_PORT}, ` +
        `or 0.0.0.0 for all; not ${JSON.stringify(text)}.`,
    )
  return { address, port }
}

function isHostName(name: string): boolean {
  return name.length <= 253 && /^(?!-)[a-z0-9-]+(?:\.[a-z0-9-]+)*$/i.test(name)
}

function wrong(message: string): UsageError {
  return new UsageError(message, 'serve')
}
