import { closeSync, openSync, readSync } from 'node:fs'

/** The platform and CPU a binary was built for, with Node's names. */
export interface BinaryTarget {
  platform: 'linux' | 'darwin' | 'win32'
  arch: 'x64' | 'arm64' | 'other'
}

const ELF = { 0x3e: 'x64', 0xb7: 'arm64' } as const
const MACH = { 0x01000007: 'x64', 0x0100000c: 'arm64' } as const
const PE = { 0x8664: 'x64', 0xaa64: 'arm64' } as const

/**
 * Detects the system and processor of a native file from its first bytes; undefined for anything that is not native
 * code.
 */
export function binaryTarget(file: string): BinaryTarget | undefined {
  return targetOf(firstBytes(file))
}

/** As `binaryTarget`, for the first bytes (1024 suffice) of a file. */
export function targetOf(head: Buffer): BinaryTarget | undefined {
  if (head.length < 64) return undefined
  if (head.readUInt32BE(0) === 0x7f454c46) return { platform: 'linux', arch: named(ELF, head.readUInt16LE(18)) }
  if (head.readUInt32LE(0) === 0xfeedfacf) return { platform: 'darwin', arch: named(MACH, head.readUInt32LE(4)) }
  if (head.toString('latin1', 0, 2) === 'MZ') {
    const offset = head.readUInt32LE(0x3c)
    if (offset + 6 <= head.length && head.toString('latin1', offset, offset + 4) === 'PE\0\0') {
      return { platform: 'win32', arch: named(PE, head.readUInt16LE(offset + 4)) }
    }
  }
  return undefined
}

function named(names: Readonly<Record<number, 'x64' | 'arm64'>>, code: number): BinaryTarget['arch'] {
  return names[code] ?? 'other'
}

function firstBytes(file: string): Buffer {
  const head = Buffer.alloc(1024)
  const descriptor = openSync(file, 'r')
  try {
    return head.subarray(0, readSync(descriptor, head, 0, head.length, 0))
  } finally {
    closeSync(descriptor)
  }
}
