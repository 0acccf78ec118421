import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const OPENSSL: string = 'openssl'

/** Whether certificates can be created here. */
export const canMakeCertificates = spawnSync(OPENSSL, ['version']).status === 0

export interface TestCertificate {
  /** The PEM file of the issuing authority. */
  authority: string
  key: Buffer
  cert: Buffer
}

/** A certificate for localhost and 127.0.0.1, from its own authority, which no system trusts. */
export function makeCertificate(folder: string): TestCertificate {
  const path = (name: string): string => join(folder, name)
  const openssl = (...args: string[]): void => void execFileSync(OPENSSL, args, { stdio: 'ignore' })
  const ec = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  openssl(
    'req',
    '-x509',
    ...ec,
    '-keyout',
    path('ca.key'),
    '-out',
    path('ca.pem'),
    '-days',
    '2',
    '-subj',
    '/CN=Test authority',
  )
  openssl('req', ...ec, '-keyout', path('server.key'), '-out', path('server.csr'), '-subj', '/CN=localhost')
  execFileSync('sh', ['-c', `echo 'subjectAltName=DNS:localhost,DNS:model.test,IP:127.0.0.1' > '${path('san')}'`])
  const signed = [
    '-CA',
    path('ca.pem'),
    '-CAkey',
    path('ca.key'),
    '-CAcreateserial',
    '-days',
    '2',
    '-extfile',
    path('san'),
  ]
  openssl('x509', '-req', '-in', path('server.csr'), ...signed, '-out', path('server.pem'))
  return { authority: path('ca.pem'), key: readFileSync(path('server.key')), cert: readFileSync(path('server.pem')) }
}
