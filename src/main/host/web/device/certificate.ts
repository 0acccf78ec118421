import { execFile } from 'node:child_process'
import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isIP } from 'node:net'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { CodedError } from '../../../../shared/errors'
import { writePrivateFile } from '../../../engine/config/write-private-file'
import { errorCode } from '../../../../shared/error-text'

/** A certificate with its key, both as PEM. */
export interface Certificate {
  key: string
  cert: string
  /** Whether Trestle created it, so that browsers warn about it. */
  isOwn: boolean
}

/** Maximum validity in days that browsers accept for a certificate the user trusted manually. */
const DAYS = 820
/** How long before it expires our certificate is replaced. */
const RENEW_MS = 30 * 86_400_000

/**
 * The self-signed certificate of this home for these addresses and names. It is created at first use, and replaced when
 * it expires soon or lacks one of them. Its key never leaves `devices-tls/` in the home, where only the user can read
 * it. Throws `device.certificate` when openssl is missing.
 */
export async function ownCertificate(
  home: string,
  hosts: readonly string[],
  { openssl = 'openssl', now = Date.now }: { openssl?: string; now?: () => number } = {},
): Promise<Certificate> {
  const folder = join(home, 'devices-tls')
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const files = { key: join(folder, 'key.pem'), cert: join(folder, 'certificate.pem') }
  const kept = readOwn(files)
  if (kept && isUsable(kept.cert, hosts, now())) return kept
  const key =
    kept?.key ??
    generateKeyPairSync('ec', {
      namedCurve: 'prime256v1',
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey
  writePrivateFile(files.key, key)
  const cert = await selfSigned(openssl, files.key, hosts)
  writePrivateFile(files.cert, cert)
  return { key, cert, isOwn: true }
}

/** The user's own certificate. Throws `device.certificate` with the reason when it cannot be used. */
export function givenCertificate(certFile: string, keyFile: string, now = Date.now()): Certificate {
  const [cert, key] = [certFile, keyFile].map((file) => {
    try {
      return readFileSync(file, 'utf8')
    } catch (error) {
      throw unusable(`${file} cannot be read: ${(error as Error).message}`)
    }
  }) as [string, string]
  let parsed: X509Certificate
  let isItsKey: boolean
  try {
    parsed = new X509Certificate(cert)
    isItsKey = parsed.checkPrivateKey(createPrivateKey(key))
  } catch (error) {
    throw unusable(`${certFile} and ${keyFile} are not a certificate and its key as PEM: ${(error as Error).message}`)
  }
  if (!isItsKey) throw unusable(`${keyFile} is not the key of ${certFile}.`)
  if (Date.parse(parsed.validTo) <= now) throw unusable(`${certFile} ended on ${parsed.validTo}.`)
  return { key, cert, isOwn: false }
}

/** The addresses and names in a certificate. */
export function certificateHosts(cert: string): Set<string> {
  const names = new X509Certificate(cert).subjectAltName ?? ''
  return new Set(
    [...names.matchAll(/(?:DNS|IP Address):([^,\s"]+)/g)].map(([, name]) => name!.toLowerCase().replace(/\.$/, '')),
  )
}

function readOwn(files: { key: string; cert: string }): Certificate | undefined {
  try {
    // Other users could have read or replaced it.
    if (process.platform !== 'win32' && (statSync(files.key).mode & 0o077) !== 0) return undefined
    const [key, cert] = [readFileSync(files.key, 'utf8'), readFileSync(files.cert, 'utf8')]
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key)) ? { key, cert, isOwn: true } : undefined
  } catch {
    return undefined
  }
}

function isUsable(cert: string, hosts: readonly string[], now: number): boolean {
  const parsed = new X509Certificate(cert)
  const covers = (host: string): boolean =>
    (isIP(host) === 0 ? parsed.checkHost(host) : parsed.checkIP(host)) !== undefined
  return Date.parse(parsed.validTo) - now > RENEW_MS && hosts.every(covers)
}

/** Created by openssl, because Node can read certificates but not create them. Its arguments contain no secrets. */
async function selfSigned(openssl: string, keyFile: string, hosts: readonly string[]): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'trestle-certificate-'))
  try {
    const name = hostname().replaceAll(/[^\w.-]/g, '') || 'this computer'
    const config = [
      '[req]',
      'prompt = no',
      'distinguished_name = subject',
      'x509_extensions = extensions',
      '[subject]',
      `CN = Trestle on ${name}`.slice(0, 69),
      '[extensions]',
      'basicConstraints = critical, CA:FALSE',
      'keyUsage = critical, digitalSignature',
      'extendedKeyUsage = serverAuth',
      `subjectAltName = ${[...new Set(hosts)].map((host) => `${isIP(host) === 0 ? 'DNS' : 'IP'}:${host}`).join(', ')}`,
    ]
    writeFileSync(join(folder, 'config'), `${config.join('\n')}\n`)
    const args = ['req', '-new', '-x509', '-sha256', '-days', String(DAYS), '-key', keyFile]
    const { stdout } = await promisify(execFile)(openssl, [...args, '-config', join(folder, 'config')], {
      timeout: 30_000,
      windowsHide: true,
    })
    return new X509Certificate(stdout).toString()
  } catch (error) {
    const isMissing = errorCode(error) === 'ENOENT'
    throw unusable(
      isMissing
        ? 'openssl is not installed, and Trestle needs it to make its certificate.'
        : `openssl could not make the certificate: ${(error as Error).message.trim().split('\n').at(-1)}`,
      error,
    )
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function unusable(message: string, cause?: unknown): CodedError {
  return new CodedError('device.certificate', message, { cause })
}
