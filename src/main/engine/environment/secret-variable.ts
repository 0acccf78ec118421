/** Words in a variable's name that make it a secret: `DB_PASS`, `npm_config__auth`. */
const SECRET_WORDS = new Set(
  'TOKEN TOKENS SECRET SECRETS PASSWORD PASSWORDS PASSWD PASSPHRASE PASSCODE PASS PWD CREDENTIAL CREDENTIALS CREDS AUTH AUTHORIZATION BEARER JWT PAT KEY KEYS COOKIE'.split(
    ' ',
  ),
)
/** The same at the end of a word: `PGPASSWORD`, `GITHUBTOKEN`. */
const SECRET_ENDING = /(?:TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|APIKEY|ACCESSKEY|SECRETKEY|PRIVATEKEY|CREDENTIALS?)$/
/** Exceptions: folders of the shell, sockets, askpass programs, and public values. */
const HARMLESS_NAME =
  /^(?:PWD|OLDPWD|PASS|KEY|KEYS|TOKENS|AUTH)$|(?:^|_)(?:SOCK|SOCKET|ASKPASS|PUBLIC_KEYS?|KEY_?BINDINGS?|KEY_?TIMEOUT)$/
/** `MAX_TOKENS=4096`, `CACHE_KEY_VERSION=2`, `USE_AUTH=true`. */
const HARMLESS_VALUE = /^(?:|true|false|yes|no|on|off|none|\d{1,9})$/i
const ALWAYS_SECRET = /PASS|PWD|SECRET/

/** Values that are secrets under any name; each pattern runs in linear time. */
const SECRET_VALUES: readonly RegExp[] = [
  // GitHub, GitLab, npm, PyPI, Hugging Face, Shopify, DigitalOcean, Grafana, SendGrid.
  /\b(?:gh[pousr]_|github_pat_|glpat-|npm_|pypi-|hf_|shpat_|dop_v1_|glsa_|SG\.)[A-Za-z0-9_.-]{16}/,
  // Model providers and Stripe.
  /\b(?:sk|rk)[-_][A-Za-z0-9_-]{16}/,
  // AWS, Google, Slack.
  /\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/,
  /\bAIza[A-Za-z0-9_-]{30}/,
  /\bya29\.[A-Za-z0-9_-]{16}/,
  /\bxox[a-z]-[A-Za-z0-9-]{8}/,
  /\bxapp-[A-Za-z0-9-]{8}/,
  // JSON web tokens, private keys, and what is sent in a header.
  /\beyJ[A-Za-z0-9_-]{8,512}\.[A-Za-z0-9_-]{8}/,
  /PRIVATE KEY(?: BLOCK)?-----|AGE-SECRET-KEY-/,
  /\b(?:bearer|basic)\s{1,4}[A-Za-z0-9+/=._~-]{16}/i,
  // A URL with a password, or with a token as the user.
  /:\/\/[^\s/?#@:]{0,256}:[^\s/?#@]{1,1024}@/,
  /https?:\/\/[^\s/?#@:]{16,1024}@/,
]

/**
 * Whether an environment variable looks like a secret, by a word of its name (TOKEN, SECRET, PASSWORD, KEY, AUTH and
 * the like; words end at `_`, other punctuation and capitals) or by its value. `SSH_AUTH_SOCK`, `XAUTHORITY` and
 * `GIT_AUTHOR_NAME` are not secrets. The full rule: docs/configuration.md.
 */
export function isSecretVariable(name: string, value: string): boolean {
  return (value !== '' && isSecretName(name, value)) || SECRET_VALUES.some((pattern) => pattern.test(value))
}

function isSecretName(name: string, value: string): boolean {
  const upper = name.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').toUpperCase()
  if (HARMLESS_NAME.test(upper)) return false
  const isSecret = upper.split(/[^A-Z\d]+/).some((word) => SECRET_WORDS.has(word) || SECRET_ENDING.test(word))
  return isSecret && (ALWAYS_SECRET.test(upper) || !HARMLESS_VALUE.test(value))
}

const WHOLE_VALUES = SECRET_VALUES.map(({ source, flags }) => new RegExp(`${source}[^\\s"'\`<>]*`, `${flags}g`))

/** Replaces everything that looks like a secret value with `mask`. */
export function maskSecretValues(text: string, mask: string): string {
  return WHOLE_VALUES.reduce((masked, pattern) => masked.replaceAll(pattern, mask), text)
}
