import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { FuseState, FuseV1Options, getCurrentFuseWire } from '@electron/fuses'
import { parse } from 'yaml'
import { targetOf } from './binary-target.ts'
import { appPath } from './file-checks.ts'
import { thirdPartyLicenses } from '../licenses/third-party-licenses.ts'
import type { PackageEntry, PackageTree } from './package-tree.ts'

const ROOT = join(import.meta.dirname, '..', '..')

/** The fuses that electron-builder.yml configures, by their names there. */
export function configuredFuses(): Record<string, boolean> {
  const { electronFuses } = parse(readFileSync(join(ROOT, 'electron-builder.yml'), 'utf8')) as {
    electronFuses: Record<string, boolean>
  }
  const { resetAdHocDarwinSignature: _, ...fuses } = electronFuses
  return fuses
}

/** Compares the binary's fuses with the configured ones. */
export async function fusesAsConfigured(tree: PackageTree, wanted: Record<string, boolean>): Promise<string[]> {
  const wire = await getCurrentFuseWire(tree.program).catch((error: unknown) => String(error))
  if (typeof wire === 'string') return [`the fuses cannot be read: ${wire}`]
  return Object.entries(wanted).flatMap(([name, on]) => {
    const option = FuseV1Options[`${name[0]?.toUpperCase()}${name.slice(1)}` as keyof typeof FuseV1Options]
    const state = wire[option]
    return state === (on ? FuseState.ENABLE : FuseState.DISABLE)
      ? []
      : [`the fuse ${name} should be ${on ? 'on' : 'off'}`]
  })
}

/** Programs to be started must be executable; nothing may be writable by everyone or run as another user. */
export function modes(tree: PackageTree): string[] {
  if (tree.platform === 'win32') return []
  const isProgram = /(?:^|\/)(?:trestle|Trestle|chrome-sandbox|chrome_crashpad_handler|trestle-node|rg|spawn-helper)$/
  return tree.entries.flatMap(({ kind, path, mode }) => {
    if (mode === undefined || kind === 'link') return []
    const problems: string[] = []
    if ((mode & 0o002) !== 0) problems.push(`${path} is writable by everyone`)
    // The installer sets the setuid bit of Chromium's sandbox if needed (packaging/deb/after-install.sh).
    if ((mode & 0o6000) !== 0) problems.push(`${path} runs as another user`)
    if (kind === 'file' && isProgram.test(path) && !path.includes('/apparmor') && (mode & 0o111) !== 0o111)
      problems.push(`${path} is not executable`)
    if (kind === 'file' && (mode & 0o444) !== 0o444) problems.push(`${path} is not readable by everyone`)
    return problems
  })
}

/** Our own terms, those of everything included, and those of Electron. */
export function licenses(tree: PackageTree): string[] {
  const problems: string[] = []
  const text = (name: string): string | undefined => {
    const entry = tree.entries.find(
      ({ kind, path }) => kind === 'file' && (path === name || /[Rr]esources\/([^/]+)$/.exec(path)?.[1] === name),
    )
    return entry && tree.read(entry).toString('utf8')
  }
  for (const name of ['LICENSE', 'NOTICE']) {
    if (text(`${name}.txt`) !== readFileSync(join(ROOT, name), 'utf8'))
      problems.push(`${name}.txt is not the ${name} of the repository`)
  }
  for (const name of ['LICENSE.electron.txt', 'LICENSES.chromium.html'])
    if (text(name) === undefined) problems.push(`${name} of Electron is missing`)
  const list = text('third-party-licenses.txt') ?? ''
  if (list !== thirdPartyLicenses())
    problems.push('third-party-licenses.txt is not the list of what is packaged: build again')
  for (const entry of tree.entries) {
    if (!/^node_modules\/(?:@[^/]+\/)?[^/]+\/package\.json$/.test(appPath(entry) ?? '')) continue
    const { name, version } = JSON.parse(tree.read(entry).toString('utf8')) as { name: string; version: string }
    if (!list.includes(`\n${name} ${version} (`))
      problems.push(`the license of ${name} ${version} is not in third-party-licenses.txt`)
  }
  return problems
}

/** Required native code, by the end of its path. */
const NATIVE = [
  /better-sqlite3\/prebuilds\/[^/]+\.node$/,
  /node-pty\/(?:build\/Release|prebuilds\/[^/]+)\/(?:pty|conpty)\.node$/,
  /@img\/sharp-[^/]+\/.*\.node$/,
  /@img\/sharp-libvips-[^/]+\/.*\.(?:so|dylib|dll)[.\d]*$|@img\/sharp-win32-[^/]+\/.*\.dll$/,
  /@napi-rs\/keyring-[^/]+\/.*\.node$/,
  /@vscode\/ripgrep-[^/]+\/bin\/rg(?:\.exe)?$/,
  /bin\/trestle-node(?:\.exe)?$/,
]

/** All native code is complete, and built for the package's system and processor. */
export function nativeModules(tree: PackageTree): string[] {
  const native = tree.entries.filter(
    (entry) =>
      entry.kind === 'file' &&
      !entry.inArchive &&
      (/\.(?:node|so[.\d]*|dylib|dll|exe)$/.test(entry.path) ||
        /(?:^|\/)(?:rg|trestle-node|spawn-helper)$/.test(entry.path)),
  )
  const ours = native.filter(
    ({ path }) => appPath({ path } as PackageEntry) !== undefined || /(?:^|\/)bin\/trestle-node/.test(path),
  )
  const problems = ours.flatMap((entry) => {
    const target = targetOf(tree.read(entry).subarray(0, 1024))
    if (!target) return [`${entry.path} is not native code`]
    const { platform, arch } = target
    return platform === tree.platform && arch === tree.arch
      ? []
      : [`${entry.path} is for ${platform}-${arch}, the package for ${tree.platform}-${tree.arch}`]
  })
  for (const pattern of NATIVE)
    if (!ours.some(({ path }) => pattern.test(path))) problems.push(`native code is missing: ${pattern.source}`)
  return problems
}

/** Patterns of API keys, of any vendor. */
const SECRETS: [name: string, pattern: RegExp][] = [
  ['an Anthropic key', /\bsk-ant-(?:api|admin)\d{2}-[\w-]{20,}/],
  ['an OpenAI key', /\bsk-(?:proj|svcacct)-[\w-]{20,}/],
  ['a Google key', /\bAIza[\w-]{35}\b/],
  ['a GitHub token', /\b(?:gh[pousr]_[A-Za-z0-9]{36}|github_pat_\w{50,})\b/],
  ['an npm token', /\bnpm_[A-Za-z0-9]{36}\b/],
  ['an AWS key', /\bAKIA[A-Z0-9]{16}\b/],
  ['a private key', /-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----\s+[A-Za-z0-9+/=]{40,}/],
]
const SECRET_FILE = /(?:^|\/)(?:\.env(?:\..+)?|\.npmrc|\.netrc|id_(?:rsa|ed25519|ecdsa)|[^/]+\.(?:p12|pfx|keystore))$/

/** Keys, and files that contain keys. */
export function noSecrets(tree: PackageTree): string[] {
  return tree.entries.flatMap((entry) => {
    if (entry.kind !== 'file') return []
    if (SECRET_FILE.test(entry.path)) return [`${entry.path} is a file for secrets`]
    if (
      appPath(entry) === undefined ||
      /\.(?:node|wasm|woff2?|png|br|gz|bcmap|pfb|ttf|so[.\d]*|dll|dylib)$|\/rg(?:\.exe)?$/.test(entry.path)
    )
      return []
    const text = tree.read(entry).toString('latin1')
    return SECRETS.flatMap(([name, pattern]) => (pattern.test(text) ? [`${entry.path} contains ${name}`] : []))
  })
}
