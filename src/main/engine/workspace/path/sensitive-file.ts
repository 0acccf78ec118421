/** What can follow the name of a key or credentials file without making it another kind of file. */
const TAIL_EXTENSIONS = new Set(
  (
    'bak backup old orig original save saved copy tmp swp swo dist prod production dev local test json ' +
    'yaml yml toml ini cfg conf properties csv tsv txt xml db enc gpg asc age pem key der ppk p12 pfx'
  ).split(' '),
)

const TEMPLATE = /^(?:example|sample|template)$/
const KEY_OR_CREDENTIALS = /^[.#]*(id_(?:rsa|dsa|ecdsa|ed25519)|credentials)(?:[-_][^.]*)?((?:\.[^.]*)*?)$/
/**
 * Files whose extension means that they contain, or can contain, a private key: a .pem file can also be a certificate.
 */
const KEY_FILE = /^(.*[^.])\.(key|ppk|p12|pfx|pem)((?:\.[^.]*)*?)$/
const PUBLIC_NAME = /(?:^|[-_.])pub(?:lic)?(?:[-_.]|$)/
const SECRET_NAME = /key|priv/
const CERTIFICATE_NAME =
  /(?:^|[-_.])(?:ca|cacerts?|certs?|certificates?|crt|csr|fullchain|chain|bundle|roots?|intermediate|dhparams?)(?:[-_.\d]|$)/
const SYSTEM_CERTIFICATES = /\/ssl\/certs\/|\/ca-certificates\//
const PROCESS_SECRETS = /^\/proc\/[^/]+\/(?:task\/[^/]+\/)?(?:environ|mem)$/

/** ASCII characters without any part that the rules look for: true for nearly all files, and fast to check. */
const PLAIN = /^[ -~]*$/
const MARKS = /env|id_|credentials|\.(?:key|ppk|p12|pfx|pem|ssh)|^\/proc\//i

/**
 * The rule that makes the file at `path` sensitive, as text for the model and the user, or undefined. Judges names
 * only, without accessing the disk, and ignores case, so callers check both the written and the real path. For files
 * only: a folder named `credentials` or `.env` is not sensitive; only `.ssh` is.
 */
export function sensitiveRule(path: string): string | undefined {
  if (PLAIN.test(path) && !MARKS.test(path)) return undefined
  const folded = fold(path)
  const parts = folded.split(/[\\/]+/)
  if (parts.includes('.ssh')) return 'everything in .ssh folders'
  if (PROCESS_SECRETS.test(folded)) return 'the memory and environment of processes'
  const name = withoutBackupMarks(parts.at(-1) ?? '')
  if (isEnvFile(name)) return '.env files'
  if (isKeyFile(name) && !SYSTEM_CERTIFICATES.test(folded)) return 'private keys'
  const match = KEY_OR_CREDENTIALS.exec(name)
  if (!match || !sameKind(match[2] ?? '')) return undefined
  if (match[1] !== 'credentials') return 'private keys'
  const folder = parts.at(-2)
  return folded.endsWith('/credentials') && (folder === '.aws' || folder === '.gcp')
    ? `${folder}/credentials`
    : 'credentials files'
}

/**
 * Names are compared as the most lenient file system would: case, compatibility forms, and invisible characters are
 * ignored.
 */
function fold(path: string): string {
  const visible = path.normalize('NFKC').replace(/[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]/g, '')
  return visible.toLowerCase()
}

/**
 * `#x#` and `x~` are editors' copies of `x`; Windows ignores trailing dots and spaces, and `x::$data` is `x` itself.
 */
function withoutBackupMarks(name: string): string {
  return name
    .replace(/::\$data$/, '')
    .replace(/^#(.*)#$/, '$1')
    .replace(/[~. ]+$/, '')
}

function isEnvFile(name: string): boolean {
  if (name === '.env') return true
  return /^\.env[.\-_]/.test(name) && !TEMPLATE.test(name.split(/[.\-_]/).at(-1) ?? '')
}

function isKeyFile(name: string): boolean {
  const [, base = '', extension, tail = ''] = KEY_FILE.exec(name) ?? []
  if (extension === undefined || !sameKind(tail) || PUBLIC_NAME.test(base)) return false
  return extension !== 'pem' || SECRET_NAME.test(base) || !CERTIFICATE_NAME.test(base)
}

/**
 * Whether a file with this tail after its name is still a key or credentials file: public keys, templates and source
 * files (`credentials.ts`) are not.
 */
function sameKind(tail: string): boolean {
  return tail
    .split('.')
    .slice(1)
    .every((extension) => TAIL_EXTENSIONS.has(extension) || /^(?:\d+|)$/.test(extension))
}
