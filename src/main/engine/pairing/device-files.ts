import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { DEVICE_ACCESS, PAIRING_LIMITS } from '../../../shared/model/paired-device'
import { writePrivateFile } from '../config/write-private-file'

const HASH = z.string().regex(/^[0-9a-f]{64}$/)
const deviceFile = z.strictObject({
  name: z.string().min(1).max(PAIRING_LIMITS.nameChars),
  access: z.enum(DEVICE_ACCESS),
  pairedAt: z.number(),
  tokenHash: HASH,
})
const seenFile = z.strictObject({ seenAt: z.number(), address: z.string().max(100).optional() })
const codeFile = z.strictObject({ codeHash: HASH, access: z.enum(DEVICE_ACCESS), expiresAt: z.number() })

export type DeviceFile = z.infer<typeof deviceFile>
export type SeenFile = z.infer<typeof seenFile>
export type CodeFile = z.infer<typeof codeFile>

const DEVICE_ID = /^[0-9a-f]{16}$/
/** Mode bits of other users. */
const OTHERS = 0o077

/**
 * The files of paired devices in `devices/` of the home, each for the user alone. Every device and every code is a file
 * of its own, so that several processes need no lock: a device is revoked, and a code used up, by removing its file,
 * which succeeds once.
 */
export class DeviceFiles {
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
    return DEVICE_ID.test(deviceId) ? this.#read(`device-${deviceId}.json`, deviceFile) : undefined
  }

  saveDevice(deviceId: string, device: DeviceFile): void {
    this.#write(`device-${deviceId}.json`, device)
  }

  /** Whether it was there. */
  removeDevice(deviceId: string): boolean {
    if (!DEVICE_ID.test(deviceId)) return false
    const removed = this.#remove(`device-${deviceId}.json`)
    this.#remove(`seen-${deviceId}.json`)
    return removed
  }

  seen(deviceId: string): SeenFile | undefined {
    return this.#read(`seen-${deviceId}.json`, seenFile)
  }

  saveSeen(deviceId: string, seen: SeenFile): void {
    this.#write(`seen-${deviceId}.json`, seen)
  }

  codes(): { codeId: string; code: CodeFile }[] {
    return this.#names('code-', '.json').flatMap((codeId) => {
      const code = this.#read(`code-${codeId}.json`, codeFile)
      return code ? [{ codeId, code }] : []
    })
  }

  saveCode(codeId: string, code: CodeFile): void {
    this.#write(`code-${codeId}.json`, code)
  }

  /** Whether it was there: of several processes that use a code, one succeeds. */
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

  /** Undefined for a file that is missing, damaged, or that others could have written. */
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
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') rmSync(join(this.folder, name), { force: true })
      return false
    }
  }
}
