/** `read`: can view everything and change nothing. `full`: can work with sessions as on the computer. */
export const DEVICE_ACCESS = ['read', 'full'] as const
export type DeviceAccess = (typeof DEVICE_ACCESS)[number]

/** Limits of pairing. */
export const PAIRING_LIMITS = {
  /** How long a code can be used, in ms. */
  codeMs: 10 * 60_000,
  nameChars: 60,
  /** Maximum paired devices; more are refused until some are revoked. */
  devices: 50,
} as const

/** A phone or another computer that was paired. Times are ms since the epoch. */
export interface PairedDevice {
  deviceId: string
  name: string
  access: DeviceAccess
  pairedAt: number
  /** When it was last connected, to within about a minute; absent: never. */
  seenAt?: number
  /** The network address of its last connection. */
  address?: string
}

/** The addresses of this Trestle for devices, while `trestle serve` listens for them. */
export interface DeviceAddress {
  /** One for each address, the best one first: `https://192.168.1.5:4712`. */
  urls: string[]
  /** SHA-256 of the certificate, as browsers show it: `AB:CD:…`. */
  fingerprint: string
  /** Whether the certificate is our own, so that browsers warn about it. */
  isOwnCertificate: boolean
  /** The command that makes it reachable in the tailnet; absent without Tailscale. */
  tailscale?: { command: string; url: string }
}

/** The devices, and where they connect. */
export interface DevicesView {
  devices: PairedDevice[]
  /** Absent: Trestle does not listen for devices. */
  address?: DeviceAddress
}

/** A code that pairs one device; it is shown once. */
export interface PairingCode {
  /** Eight characters in two groups: `ABCD-EFGH`. */
  code: string
  access: DeviceAccess
  expiresAt: number
  /** The links that open the page with the code filled in; empty while Trestle does not listen for devices. */
  links: string[]
}

/** No 0, 1, I, L, O or U: they are easily confused, or spell words. */
const CODE_LETTERS = '23456789ABCDEFGHJKMNPQRSTVWXYZ'
export const CODE_LENGTH = 8

/** A code from random bytes, one per letter; bytes that would make some letters more likely are skipped. */
export function codeFrom(bytes: Uint8Array): string | undefined {
  const fair = Math.floor(256 / CODE_LETTERS.length) * CODE_LETTERS.length
  const letters = [...bytes].filter((byte) => byte < fair).map((byte) => CODE_LETTERS[byte % CODE_LETTERS.length]!)
  return letters.length < CODE_LENGTH ? undefined : letters.slice(0, CODE_LENGTH).join('')
}

/** A code as typed, without spaces and dashes, in capitals; undefined for an invalid one. */
export function typedCode(typed: string): string | undefined {
  const code = typed.replaceAll(/[\s-]/g, '').toUpperCase()
  return code.length === CODE_LENGTH && code.split('').every((letter) => CODE_LETTERS.includes(letter))
    ? code
    : undefined
}

/** The code for display: in two groups. */
export function shownCode(code: string): string {
  return `${code.slice(0, CODE_LENGTH / 2)}-${code.slice(CODE_LENGTH / 2)}`
}

/** The link that opens the page with the code filled in. Browsers never send the part after `#`. */
export function pairingLink(url: string, code: string): string {
  return `${url}/#pair=${code}`
}
