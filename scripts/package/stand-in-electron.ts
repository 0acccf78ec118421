import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { FuseV1Options } from '@electron/fuses'

/** The marker of the fuses in Electron's binary (docs/tutorial/fuses.md of Electron). */
const FUSE_SENTINEL = 'dL7pKGdnNz796PbbjQWNKmHXBZaB9tsX'

/** Electron's default fuses. */
const DEFAULT_FUSES: Record<FuseV1Options, boolean> = {
  [FuseV1Options.RunAsNode]: true,
  [FuseV1Options.EnableCookieEncryption]: false,
  [FuseV1Options.EnableNodeOptionsEnvironmentVariable]: true,
  [FuseV1Options.EnableNodeCliInspectArguments]: true,
  [FuseV1Options.EnableEmbeddedAsarIntegrityValidation]: false,
  [FuseV1Options.OnlyLoadAppFromAsar]: false,
  [FuseV1Options.LoadBrowserProcessSpecificV8Snapshot]: false,
  [FuseV1Options.GrantFileProtocolExtraPrivileges]: true,
  [FuseV1Options.WasmTrapHandlers]: true,
}

/**
 * Creates a folder with the files of an Electron release for Linux, without Electron: its program prints a message and
 * exits. With it, packages can be built and checked if the real one cannot be downloaded.
 */
export function makeStandInElectron(folder: string, version: string): void {
  mkdirSync(join(folder, 'locales'), { recursive: true })
  mkdirSync(join(folder, 'resources'), { recursive: true })
  const program = '#!/bin/sh\necho "This is a stand-in for Electron: it opens no window." >&2\nexit 69\n'
  const fuses = Object.values(DEFAULT_FUSES).map((on) => (on ? '1' : '0'))
  const wire = Buffer.concat([Buffer.from(FUSE_SENTINEL), Buffer.from([1, fuses.length]), Buffer.from(fuses.join(''))])
  put(folder, 'electron', Buffer.concat([Buffer.from(program), wire]), 0o755)
  put(folder, 'chrome-sandbox', '#!/bin/sh\nexit 69\n', 0o755)
  put(folder, 'version', version)
  for (const name of ['LICENSE', 'LICENSES.chromium.html', 'icudtl.dat', 'resources.pak', 'locales/en-US.pak']) {
    put(folder, name, `stand-in for ${name}\n`)
  }
}

function put(folder: string, name: string, content: string | Buffer, mode = 0o644): void {
  const path = join(folder, name)
  writeFileSync(path, content)
  chmodSync(path, mode)
}
