import { readFileSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import { lazySchema } from '../../../shared/lazy-schema'
import type { DeviceAddress } from '../../../shared/model/place/paired-device'
import { writePrivateFile } from '../config/write-private-file'
import { isRunning } from '../process/process-identity'

const url = lazySchema(() => z.string().regex(/^https:\/\/\S+$/))
const addressFile = lazySchema(() =>
  z.strictObject({
    pid: z.int().min(1),
    urls: z.array(url()).min(1),
    fingerprint: z.string(),
    isOwnCertificate: z.boolean(),
    tailscale: z.strictObject({ command: z.string(), url: url() }).optional(),
  }),
)

const pathIn = (home: string): string => join(home, 'device-address.json')

/** The address of the process that listens for devices; undefined if no process does. */
export function readDeviceAddress(home: string): DeviceAddress | undefined {
  try {
    if (process.platform !== 'win32' && (statSync(pathIn(home)).mode & 0o077) !== 0) return undefined
    const { pid, tailscale, ...address } = addressFile().parse(JSON.parse(readFileSync(pathIn(home), 'utf8')))
    return isRunning(pid) ? { ...address, ...(tailscale && { tailscale }) } : undefined
  } catch {
    return undefined
  }
}

/** Publishes the address of this process for other processes; returns the function that removes it. */
export function publishDeviceAddress(home: string, address: DeviceAddress): () => void {
  const text = `${JSON.stringify({ pid: process.pid, ...address })}\n`
  writePrivateFile(pathIn(home), text)
  return () => {
    // Another process may have replaced it since.
    try {
      if (readFileSync(pathIn(home), 'utf8') === text) rmSync(pathIn(home), { force: true })
    } catch {
      // It was already removed.
    }
  }
}
