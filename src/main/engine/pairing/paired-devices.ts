import { createHash, randomBytes, timingSafeEqual } from 'node:crypto'
import { CodedError } from '../../../shared/errors'
import {
  codeFrom,
  PAIRING_LIMITS,
  pairingLink,
  shownCode,
  typedCode,
  type DeviceAccess,
  type DevicesView,
  type PairedDevice,
  type PairingCode,
  DEVICE_ACCESS,
} from '../../../shared/model/place/paired-device'
import { readDeviceAddress } from './device-address'
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { lazySchema, type SchemaOutput } from '../../../shared/lazy-schema'
import { writePrivateFile } from '../config/write-private-file'
import { cutText } from '../../../shared/cut-text'
import { errorCode } from '../../../shared/error-text'

/** Precision of the time of a device's last connection. */
const SEEN_MS = 60_000

/** Actions on devices for the interface and the command line. */
export interface DeviceActions {
  view(): DevicesView
  /** Creates a code that pairs one device, replacing an earlier unused one. */
  pair(access: DeviceAccess): PairingCode
  cancelPairing(): void
  /** Throws `device.not_found`. Open connections of the device are closed immediately. */
  revoke(deviceId: string): void
}

/**
 * The paired devices of a home, for any number of processes. Neither tokens nor codes are stored, only their hashes:
 * 256 random bits need no slow hash, and a code expires within minutes.
 */
export class PairedDevices implements DeviceActions {
  readonly #home: string
  readonly #files: DeviceFiles
  readonly #now: () => number

  constructor(home: string, now: () => number = Date.now) {
    this.#home = home
    this.#files = new DeviceFiles(home)
    this.#now = now
  }

  /** The folder that changes when devices are paired or revoked; created if it is missing. */
  get folder(): string {
    this.#files.makeFolder()
    return this.#files.folder
  }

  view(): DevicesView {
    const address = readDeviceAddress(this.#home)
    return { devices: this.list(), ...(address && { address }) }
  }

  /** Latest first. */
  list(): PairedDevice[] {
    return this.#files
      .deviceIds()
      .flatMap((deviceId) => {
        const found = this.#files.device(deviceId)
        if (!found) return []
        const { name, access, pairedAt } = found
        return [{ deviceId, name, access, pairedAt, ...this.#files.seen(deviceId) }]
      })
      .toSorted((one, other) => (other.seenAt ?? other.pairedAt) - (one.seenAt ?? one.pairedAt))
  }

  pair(access: DeviceAccess): PairingCode {
    this.#checkRoom()
    let code: string | undefined
    while (code === undefined) code = codeFrom(randomBytes(32))
    const expiresAt = this.#now() + PAIRING_LIMITS.codeMs
    this.#files.removeCodes()
    this.#files.saveCode(randomBytes(8).toString('hex'), { codeHash: hashOf(code), access, expiresAt })
    const urls = readDeviceAddress(this.#home)?.urls ?? []
    const shown = shownCode(code)
    return { code: shown, access, expiresAt, links: urls.map((url) => pairingLink(url, shown)) }
  }

  cancelPairing(): void {
    this.#files.removeCodes()
  }

  revoke(deviceId: string): void {
    if (!this.#files.removeDevice(deviceId))
      throw new CodedError('device.not_found', `There is no device ${JSON.stringify(deviceId)}.`)
  }

  /**
   * Pairs a device with a code and returns its token, which is not stored. Throws `device.code` if the code is wrong,
   * expired or used, without revealing which.
   */
  redeem(typed: string, name: string): { token: string; device: PairedDevice } {
    const code = typedCode(typed) ?? ''
    const now = this.#now()
    // All codes are compared, so that the timing reveals nothing.
    const [match] = this.#files.codes().filter((one) => isSame(one.code.codeHash, hashOf(code)))
    // A code with more than the maximum time left was created before the clock was set back.
    const leftMs = match ? match.code.expiresAt - now : 0
    if (!match || leftMs <= 0 || leftMs > PAIRING_LIMITS.codeMs || !this.#files.removeCode(match.codeId))
      throw new CodedError('device.code', 'This code is wrong, expired or already used.')
    this.#checkRoom()
    const { access } = match.code
    const deviceId = randomBytes(8).toString('hex')
    const token = `${deviceId}-${randomBytes(32).toString('hex')}`
    const device = { name: deviceName(name), access, pairedAt: now }
    this.#files.saveDevice(deviceId, { ...device, tokenHash: hashOf(token) })
    return { token, device: { deviceId, ...device } }
  }

  /** The device with this token; undefined if the token is wrong or was revoked. */
  authenticate(token: string): PairedDevice | undefined {
    const [deviceId = ''] = token.split('-', 1)
    const found = this.#files.device(deviceId)
    const isRight = isSame(found?.tokenHash ?? hashOf(''), hashOf(token))
    if (!found || !isRight) return undefined
    const { name, access, pairedAt } = found
    return { deviceId, name, access, pairedAt }
  }

  /** Whether it is still paired, and with this access. */
  isPaired({ deviceId, access }: Pick<PairedDevice, 'deviceId' | 'access'>): boolean {
    return this.#files.device(deviceId)?.access === access
  }

  /** Records when and from where the device was last connected. */
  markSeen(deviceId: string, address: string | undefined): void {
    const before = this.#files.seen(deviceId)
    const seenAt = this.#now()
    if (before && before.address === address && seenAt - before.seenAt < SEEN_MS) return
    if (this.#files.device(deviceId))
      this.#files.saveSeen(deviceId, { seenAt, ...(address !== undefined && { address }) })
  }

  #checkRoom(): void {
    if (this.#files.deviceIds().length >= PAIRING_LIMITS.devices)
      throw new CodedError('device.limit', `${PAIRING_LIMITS.devices} devices are paired.`)
  }
}

/** The name on one line without control or direction characters, which could make it look like something else. */
function deviceName(name: string): string {
  const plain = name.replaceAll(/[\p{C}\p{Z}]+/gu, ' ').trim()
  return cutText(plain, PAIRING_LIMITS.nameChars).toWellFormed() || 'Device'
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}

/** Compares in constant time. Both are hashes of the same length. */
function isSame(one: string, other: string): boolean {
  return timingSafeEqual(Buffer.from(one), Buffer.from(other))
}

const HASH = lazySchema(() => z.string().regex(/^[0-9a-f]{64}$/))
const deviceFile = lazySchema(() =>
  z.strictObject({
    name: z.string().min(1).max(PAIRING_LIMITS.nameChars),
    access: z.enum(DEVICE_ACCESS),
    pairedAt: z.number(),
    tokenHash: HASH(),
  }),
)
const seenFile = lazySchema(() => z.strictObject({ seenAt: z.number(), address: z.string().max(100).optional() }))
const codeFile = lazySchema(() =>
  z.strictObject({ codeHash: HASH(), access: z.enum(DEVICE_ACCESS), expiresAt: z.number() }),
)

type DeviceFile = SchemaOutput<typeof deviceFile>
type SeenFile = SchemaOutput<typeof seenFile>
type CodeFile = SchemaOutput<typeof codeFile>

const DEVICE_ID = /^[0-9a-f]{16}$/
/** Permission bits of other users. */
const OTHERS = 0o077

/**
 * The files of paired devices in `devices/` of the home, each for the user alone. Every device and code has its own
 * file, so that processes need no lock: a device is revoked, and a code used up, by removing its file, which succeeds
 * once.
 */
class DeviceFiles {
  readonly folder: string

  constructor(home: string) {
    this.folder = join(home, 'devices')
  }

  makeFolder(): void {
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
  }

  deviceIds(): string[] {
    return this.#names('device-', '.json').filter((id) => DEVICE_ID.test(id))
  }

  device(deviceId: string): DeviceFile | undefined {
    return DEVICE_ID.test(deviceId) ? this.#read(`device-${deviceId}.json`, deviceFile()) : undefined
  }

  saveDevice(deviceId: string, device: DeviceFile): void {
    this.#write(`device-${deviceId}.json`, device)
  }

  /** Returns whether it existed. */
  removeDevice(deviceId: string): boolean {
    if (!DEVICE_ID.test(deviceId)) return false
    const removed = this.#remove(`device-${deviceId}.json`)
    this.#remove(`seen-${deviceId}.json`)
    return removed
  }

  seen(deviceId: string): SeenFile | undefined {
    return this.#read(`seen-${deviceId}.json`, seenFile())
  }

  saveSeen(deviceId: string, seen: SeenFile): void {
    this.#write(`seen-${deviceId}.json`, seen)
  }

  codes(): { codeId: string; code: CodeFile }[] {
    return this.#names('code-', '.json').flatMap((codeId) => {
      const code = this.#read(`code-${codeId}.json`, codeFile())
      return code ? [{ codeId, code }] : []
    })
  }

  saveCode(codeId: string, code: CodeFile): void {
    this.#write(`code-${codeId}.json`, code)
  }

  /** Returns whether it existed: if several processes use a code, one succeeds. */
  removeCode(codeId: string): boolean {
    return this.#remove(`code-${codeId}.json`)
  }

  removeCodes(): void {
    for (const codeId of this.#names('code-', '.json')) this.removeCode(codeId)
  }

  #names(prefix: string, suffix: string): string[] {
    try {
      return readdirSync(this.folder)
        .filter((name) => name.startsWith(prefix) && name.endsWith(suffix))
        .map((name) => name.slice(prefix.length, -suffix.length))
    } catch {
      return []
    }
  }

  /** Undefined if a file is missing or damaged, or if other users could have written it. */
  #read<Content>(name: string, schema: z.ZodType<Content>): Content | undefined {
    const path = join(this.folder, name)
    try {
      if (process.platform !== 'win32' && (statSync(path).mode & OTHERS) !== 0) return undefined
      return schema.parse(JSON.parse(readFileSync(path, 'utf8')))
    } catch {
      return undefined
    }
  }

  #write(name: string, content: unknown): void {
    this.makeFolder()
    writePrivateFile(join(this.folder, name), `${JSON.stringify(content)}\n`)
  }

  #remove(name: string): boolean {
    try {
      unlinkSync(join(this.folder, name))
      return true
    } catch (error) {
      if (errorCode(error) !== 'ENOENT') rmSync(join(this.folder, name), { force: true })
      return false
    }
  }
}
