import { readFileSync } from 'node:fs'
import { errorCode } from '../../../shared/error-text'

/** TLS errors that disappear once the issuer of the certificate is trusted. */
const UNKNOWN_ISSUER = new Set([
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_UNTRUSTED',
])

/** `tls` is not imported: connections to servers on this machine do not need it. */
const tls = () => process.getBuiltinModule('node:tls')

let system: Promise<boolean> | undefined

/**
 * Makes this process trust the operating system's certificates in addition to Node's: companies that inspect encrypted
 * connections install theirs there. They are read in a thread, because that can take half a second. Resolves to false
 * if they add nothing. Call it only after a certificate was not trusted, so that other requests do not wait for it.
 */
export function trustSystemCertificates(): Promise<boolean> {
  return (system ??= readInThread().then(trust, () => false))
}

/** Also trusts the certificates of a PEM file. Throws if it cannot be read or has no certificate. */
export function trustCertificateFile(file: string): void {
  trust(certificatesIn(file))
}

/** The certificates of a PEM file; throws, with a message for the user, if it has no certificate. */
export function certificatesIn(file: string): string[] {
  const found = readFileSync(file, 'utf8').match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g)
  if (!found) throw new Error(`${file} holds no certificate in PEM form`)
  const { X509Certificate } = process.getBuiltinModule('node:crypto')
  for (const certificate of found) void new X509Certificate(certificate)
  return found
}

/** Whether a request failed because the issuer of the server's certificate is unknown. */
export function isUnknownIssuer(error: unknown): boolean {
  for (let current = error, depth = 0; current instanceof Error && depth < 5; current = current.cause, depth += 1)
    if (UNKNOWN_ISSUER.has(errorCode(current) ?? '')) return true
  return false
}

/**
 * Runs a request, and retries it if the system's certificates may help: such a request fails before any byte of it is
 * sent.
 */
export async function withSystemCertificates<Answer>(request: () => Promise<Answer>): Promise<Answer> {
  try {
    return await request()
  } catch (error) {
    if (!isUnknownIssuer(error) || !(await trustSystemCertificates())) throw error
    return request()
  }
}

function trust(certificates: readonly string[]): boolean {
  const before = tls().getCACertificates('default')
  const all = new Set([...before, ...certificates.map((each) => each.trim())])
  const known = new Set(before.map((each) => each.trim()))
  if (certificates.every((each) => known.has(each.trim()))) return false
  tls().setDefaultCACertificates([...all])
  return true
}

async function readInThread(): Promise<string[]> {
  const { Worker } = process.getBuiltinModule('node:worker_threads')
  const { once } = process.getBuiltinModule('node:events')
  const script =
    "require('node:worker_threads').parentPort.postMessage(require('node:tls').getCACertificates('system'))"
  const [found] = (await once(new Worker(script, { eval: true }), 'message')) as [string[]]
  return found
}
