/** Keys whose format identifies their vendor. The names complete the sentence "It looks like …". */
const KEYS: readonly (readonly [name: string, form: RegExp])[] = [
  ['an Anthropic key', /\bsk-ant-[\w-]{10,}/],
  ['an API key', /(?<![A-Za-z0-9])sk-(?:proj-|svcacct-|admin-|or-v1-|lf-)?(?=[\w-]*\d)[\w-]{16,}/],
  ['a Stripe key', /\b(?:sk|pk|rk)_(?:live|test)_\w{8,}|\bwhsec_\w{16,}/],
  ['an AWS key', /\b(?:AKIA|ASIA|AGPA|AIDA|AROA|ANPA|ABIA)[A-Z0-9]{12,}\b/],
  ['a GitHub token', /\bgh[pousr]_\w{16,}|\bgithub_pat_\w{20,}/],
  ['a GitLab token', /\bgl(?:pat|dt|rt|cbt|ptt|ft|imt|agent|oas|soat)-[\w-]{16,}/],
  [
    'a Slack token',
    /\bxox[abeoprs](?:\.xox[abp])?-[\w-]{8,}|\bxapp-[\w-]{10,}|hooks\.slack\.com\/(?:services|workflows)\/\w+\/\w+/,
  ],
  ['a Google key', /\bAIza[\w-]{30,}|\bya29\.[\w-]{10,}|\bGOCSPX-[\w-]{16,}|\b1\/\/0[\w-]{20,}/],
  ['an npm token', /\bnpm_\w{20,}/],
  ['a PyPI token', /\bpypi-[\w-]{16,}/],
  ['a Telegram bot token', /\b\d{7,12}:[A-Za-z0-9_-]{30,}/],
  ['a SendGrid key', /\bSG\.[\w-]{10,}\.[\w-]{10,}/],
  ['a Twilio key', /\b(?:AC|SK)[0-9a-f]{32}\b/],
  ['a DigitalOcean token', /\bdo[opr]_v1_[0-9a-f]{20,}/],
  ['a Hugging Face token', /\b(?:hf|api_org)_[A-Za-z]{2}\w{16,}/],
  ['a Mailgun or Mailchimp key', /\bkey-[0-9a-f]{32}\b|\b[0-9a-f]{32}-us\d{1,2}\b/],
  ['a Square or Shopify key', /\bsq0[a-z]{3}-[\w-]{16,}|\bshp(?:at|ss|ca|pa)_[0-9a-f]{20,}/],
  ['a Discord token', /\b[MNO][\w-]{22,}\.[\w-]{6}\.[\w-]{25,}|discord(?:app)?\.com\/api\/webhooks\/\d+\/[\w-]+/],
  ['an Azure key', /\b(?:AccountKey|SharedAccessKey|SharedAccessSignature)\s*=|\b\w{3}8Q~[\w~.-]{20,}/i],
  ['a Vault or HashiCorp token', /\bhv[sbr]\.[\w-]{20,}|\b\w+\.atlasv1\.[\w-]{20,}/],
  ['an Atlassian token', /\bATATT3[\w=-]{20,}|\bATBB\w{20,}/],
  ['an age key', /\bAGE-SECRET-KEY-1\w{20,}/],
  [
    'a key of a cloud provider',
    /\b(?:LTAI|AKID)[A-Za-z0-9]{12,}\b|\bdapi[0-9a-f]{32}\b|\bEAA[A-Za-z0-9]{30,}|\bsl\.[\w-]{40,}/,
  ],
  [
    'a token',
    /\b(?:lin_api|lin_oauth|figd|ntn|secret|sntrys|sntryu|glsa|glc|gsk|r8|nfp|sbp|pscale_tkn|pscale_pw|dckr_pat|rubygems|bkua|fo1|rnd|re|tvly|jina|nvapi|cio|PMAK|NRAK|NRJS|HRKU|xai|pplx|tskey|ghu|dp\.pt|ops|pul|prefect|shippo_live|EZAK|flyv1|vercel|whr|oy2)[_-](?=\w*[\d-]|\w*[a-z][A-Z])[\w-]{16,}/,
  ],
  ['a JSON Web Token', /\beyJ[\w-]{8,}\.[\w-]{8,}/],
  ['a private key', /-----BEGIN[A-Z0-9 ]*PRIVATE KEY|PuTTY-User-Key-File|-----BEGIN PGP PRIVATE/i],
  ['a sign-in header', /\b(?:[Bb]asic|BASIC|[Bb]earer|BEARER)\s+(?=[\w+/.~-]*(?:\d|[a-z][A-Z]|=))[\w+/.~-]{12,}=*/],
  [
    'a two-factor secret',
    /otpauth:\/\/\S*secret=|\b(?=[A-Z2-7]*[2-7])(?=(?:[2-7]*[A-Z]){8})(?=[A-Z2-7]*[2-7][A-Z2-7]*[2-7])[A-Z2-7]{16,}\b/,
  ],
]

/** Links and connection strings with a password or a parameter that grants access. */
const IN_ADDRESS: readonly (readonly [name: string, form: RegExp])[] = [
  ['an address with a password', /[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:(?![^\s@]*[<{*]|\$)[^\s/@]{2,}@/i],
  [
    'a link with a key',
    /[?&#;](?:[\w-]*(?:token|secret|password|passwd|api[_-]?key|signature|auth)|sig|key|code|pwd)=(?![<{$*])[^\s&#<]{8,}/i,
  ],
]

/** The name of a known key format in the text; undefined without one. */
function vendorKeyIn(text: string): string | undefined {
  return [...KEYS, ...IN_ADDRESS].find(([, form]) => form.test(text))?.[0]
}

/**
 * What in a text looks like a secret, e.g. `a GitHub token`; undefined if nothing does. `name` is the key of the text:
 * `wifi password` makes any word a secret. When in doubt, it counts as a secret: a fact can be reworded, but a leaked
 * key cannot be taken back.
 */
export function secretIn(text: string, name = ''): string | undefined {
  const plain = plainText(text)
  const title = plainText(name)
  const named = title === '' ? plain : `${title}: ${plain}`
  // Joins literals that are split by line breaks or plus signs.
  const joined = plain.replaceAll(/["'`]\s*[+.,]?\s*\\?\s*["'`]|\\\s*\n\s*|(?<=[\w+/=-])\n\s*(?=[\w+/=-])/g, '')
  return (
    vendorKeyIn(plain) ??
    vendorKeyIn(joined) ??
    vendorKeyIn(title) ??
    randomTextIn(plain) ??
    randomTextIn(title) ??
    namedSecretIn(named) ??
    namedSecretIn(joined)
  )
}

/** Removes invisible characters and normalizes variant letter forms. */
function plainText(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
}

/** Names of secrets that can be any word: whatever follows the name is the secret. */
const ANY_WORD = String.raw`passw(?:or)?[dt]e?s?|passwd|passphrases?|pwd|pw|kennwort|passwort|mot de passe|contraseña|contrasena|senha|wachtwoord|adgangskode|lösenord|hasło|parola`
/** Names of secrets that contain digits. */
const DIGITS = String.raw`pass[ _-]?codes?|(?:secret|security|door|alarm|gate|safe|lock|access|entry|unlock|recovery|backup|verification|garage|voicemail|vault|padlock)[ _-]?(?:codes?|pins?|numbers?|combinations?)|combination|pins?(?:[ _-]?(?:codes?|numbers?))?|cvv|cvc|tan|geheimzahl`
/** Names of secrets that look random: ordinary words after the name are not secrets. */
const RANDOM_WORD = String.raw`(?:api|app|access|auth|encryption|private|secret|signing|license|licence|product|service|account|master|deploy|shared|client|session|webhook|ssh|psk|wpa|host|admin|consumer|subscription)[ _-]?(?:key|secret|token|id[ _-]?secret)s?|secret(?:[ _-]?(?:key|access[ _-]?key)(?:[ _-]?base)?)?|[\w-]*token|credentials?|logins?|bearer|psk|api[ _-]?key|salt|cookie|session[ _-]?id`

/** The text between a name and its secret. */
const LINK = String.raw`["'\x60*_]*\s*(?:\([^)]{0,40}\)\s*)?(?:=>|:=|->|→|[:=]|\b(?:is|are|was|being|equals|reads|lautet|ist|est|es|är|er|set to|changed to|now)\b:?)\s*(?:now |still |just |set to |called )?["'\x60*_]*`
const VALUE = String.raw`([^\s"'\x60]+)(.{0,80})`

const ABOUT = String.raw`(?:[ _-]?(?:for|of|to|on|at|für|von)\b[^:=\n]{1,40}?)?`
const START = String.raw`(?:^|[^\p{L}])(?:[\p{L}\d]*_)?`

const ASSIGNED = new RegExp(
  String.raw`${START}(?:(${ANY_WORD})|(${DIGITS})|(${RANDOM_WORD}))${ABOUT}${LINK}${VALUE}`,
  'giu',
)
/**
 * Like `ASSIGNED`, but without a linking word, for values that cannot be part of a sentence: `the PIN 0815`, `api key
 * 9f8e7d6c5b4a`.
 */
const BARE = new RegExp(
  String.raw`${START}(?:(${ANY_WORD})|(${DIGITS})|(${RANDOM_WORD}))s?\s+["'\x60“]?([^\s"'\x60”]+)(.{0,80})`,
  'giu',
)
/** Formats of commands and sign-in data with secrets. */
const FORMS: readonly RegExp[] = [
  /(?:--(?:password|passwd|pass|token|secret|api-key)[= ]|\s-u\s+[^\s:]+:)["']?(?![<{$*])(\S{4,})/i,
  /\b(?:credentials?|logins?|sign-in|account|zugangsdaten)\b[^\n:=]{0,20}[:=]\s*\S+\s*[/,:|]\s*(?![<{$*])(?=\S*\d)(?=\S*\p{L})(\S{6,})/iu,
  /\buser(?:name)?\b\s*[:=]?\s*\S+\s*(?:[,;/]|and|und)\s*(?:the )?(?:password|passwort|pass|pw)\s+(?!is\b|from\b|in\b|comes\b|stored\b)["']?(?![<{$*])(\S{3,})/i,
  /\bpass\s*[:=]\s*["']?(?![<{$*])(?=\S*\d)(\S{5,})/i,
  /\bpassw(?:or)?[dt]\s+["'`“](?![<{$*])([^\s"'`”]{3,})["'`”]/i,
]

/** Words that continue a sentence about a secret without revealing it. */
const PROSE = new Set(
  (
    'a an the stored kept saved managed rotated rotates rotating required needed needs not never ' +
    'no none in on at under inside behind with without by from via through to for of and or ' +
    'only always same different changed expired expires expiring valid invalid reset empty optional ' +
    'unknown secret known shared written printed asked checked hashed encrypted salted generated ' +
    'created provided injected read loaded set defined configured found located available looked held ' +
    'too very longer shorter at least more less up between must should can may cannot will would ' +
    'ask see use using come comes lives live i we you he she it they this that there his her my ' +
    'our your their what where how when who which if because since as like about handled protected ' +
    'safe secure strong weak case-sensitive enough forbidden allowed disabled enabled ' +
    'turned off banned visible hidden missing redacted confidential private public ' +
    'passed entered typed sent given issued renewed revoked refreshed invalidated checked verified ' +
    'validated cached limited scoped short-lived tied bound signed part one two three all any every each ' +
    'bitwarden keepass keepassxc 1password lastpass vault keychain dashlane protonpass yubikey fido2 ' +
    'oauth2 oauth jwt saml sso httponly samesite bcrypt argon2 argon2id scrypt pbkdf2 env environment ' +
    'im in der die das ein eine nicht steht liegt bei auf unter wird ist sind gespeichert'
  ).split(' '),
)
const PLACEHOLDER =
  /^(?:[<[{($%].*|\*+|x{3,}|\.{2,}|…+|-+|_+|your[-_].*|example.*|placeholder.*|redacted.*|todo|tbd|n\/a|null|undefined|true|false|yes|no)[.,;]?$/i

/**
 * Whether the text contains a secret after its name, as in `password: …`, `DB_PASSWORD=…`, `"token": "…"` or `the PIN
 * is …`.
 */
function namedSecretIn(text: string): string | undefined {
  for (const [pattern, isBare] of [
    [ASSIGNED, false],
    [BARE, true],
  ] as const)
    for (const [, anyWord, digits, random, value = '', rest = ''] of text.matchAll(pattern)) {
      const bare = value.replace(/[.,;:!?)\]}"'`]+$/, '')
      if (PLACEHOLDER.test(bare) || bare === '') continue
      if (anyWord !== undefined && (isBare ? isUnlikeWord(bare) : isPassword(bare))) return 'a password'
      if (digits !== undefined && isCode(bare, rest)) return 'a code'
      if (random !== undefined && isRandom(bare)) return 'a key or token'
    }
  return FORMS.some((form) => form.test(text)) ? 'a password' : undefined
}

/** Any word can be a password, except words that continue a sentence. */
function isPassword(value: string): boolean {
  return value.length >= 3 && !PROSE.has(value.toLowerCase())
}

/** Has digits or punctuation between letters. */
function isUnlikeWord(value: string): boolean {
  return (
    value.length >= 5 &&
    /\d/.test(value) &&
    /[\p{L}!#$%&*+?@^~]/u.test(value) &&
    !/^\d+(?:st|nd|rd|th|px|ms|s|h|kg?|gb|mb)$/i.test(value)
  )
}

/** At least four digits, as in a PIN, or three as on a card. */
function isCode(value: string, rest: string): boolean {
  const all = `${value}${/^[\d\s#*-]{1,12}/.exec(rest)?.[0] ?? ''}`
  return (
    /\d/.test(value) &&
    [...all.matchAll(/\d/g)].length >= (/^\d{3}$/.test(value) ? 3 : 4) &&
    /^[\p{L}\d#*-]+$/u.test(value)
  )
}

/** Long, and with digits between letters or in mixed case. */
function isRandom(value: string): boolean {
  if (value.length < 8 || /^[a-z]+:\/\/[^:@]*$/i.test(value) || /[\\/].*[\\/]/.test(value)) return false
  const hasDigit = /\d/.test(value)
  const hasLetter = /\p{L}/u.test(value)
  const changes = [...value.matchAll(/[a-z][A-Z0-9]|[0-9][A-Za-z]|[A-Z][a-z]/g)].length
  if (value.length >= 10 && hasDigit && hasLetter && changes >= 2) return true
  return value.length >= 16 && changes >= 5
}

/** Finds machine-generated text: a long random string, a card number, a product key, or a recovery phrase. */
function randomTextIn(text: string): string | undefined {
  if (cardNumberIn(text)) return 'a card number'
  if (phraseIn(text)) return 'a recovery phrase'
  for (const { 0: token, index } of text.matchAll(/[A-Za-z0-9+/=_~.-]{16,}/g)) {
    const before = text.slice(Math.max(0, index - 40), index)
    if (isRandomToken(token.replace(/[.,-]+$/, ''), before)) return 'a random key'
  }
  return undefined
}

const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i
/** Words that identify a hash: a commit, digest or checksum of something public. */
const NAMES_HASH =
  /\b(?:commits?|revision|rev|sha-?\d*|hash|checksum|digest|md5|etag|blob|tree|tag|version|pinned)\b[\s\w:'"`(=/-]{0,24}$|sha\d+[:-]$|@$/i
/** Document ids in links, which do not grant access on their own. */
const DOCUMENT =
  /^\/*(?:[\w-]+\.)*(?:google|figma|notion|miro|sharepoint|atlassian|github|gitlab|youtube|youtu)\.[a-z.]+\//
const PRODUCT_KEY = /^(?=(?:.*\d){2})(?=(?:.*[A-Z]){2})(?:[A-Z0-9]{4,8}-){3,}[A-Z0-9]{4,8}$/

function isRandomToken(token: string, before: string): boolean {
  if (UUID.test(token) || DOCUMENT.test(token)) return false
  if (PRODUCT_KEY.test(token)) return true
  const hex = /(?:^|[/=.])(?:0x)?([0-9a-f]{32,}|[0-9A-F]{32,})$/.exec(token)?.[1]
  if (hex !== undefined) return /[a-f]/i.test(hex) && !NAMES_HASH.test(before + token.slice(0, -hex.length))
  const hash = /(?:^|[.:@/-])sha\d+[-:]?/i.test(`${before.slice(-8)}${token}`)
  if (hash) return false
  // A path or name consists of words; a random string does not, however it is split.
  const parts = token.split(/[./_~=-]+/).filter((part) => part.length > 0)
  if (parts.some((part) => part.length >= 16 && isMixed(part))) return true
  return (
    token.length >= 28 &&
    !/[.~]/.test(token) &&
    isMixed(token.replaceAll(/[/_=-]/g, '')) &&
    parts.every((part) => !isWord(part) || part.length < 4)
  )
}

function isWord(part: string): boolean {
  return /^(?:[a-z]+|[A-Z]?[a-z]+|[A-Z]+|\d+|[a-z]+\d{1,3})$/.test(part)
}

/** Whether it switches between lower case, upper case and digits as often as only random text does. */
function isMixed(part: string): boolean {
  const digits = [...part.matchAll(/\d/g)].length
  const letters = [...part.matchAll(/[A-Za-z]/g)].length
  if (letters < 4) return false
  let changes = 0
  for (let at = 1; at < part.length; at += 1) if (kindOf(part[at]!) !== kindOf(part[at - 1]!)) changes += 1
  const share = changes / (part.length - 1)
  const both = /[a-z]/.test(part) && /[A-Z]/.test(part)
  if (both && digits >= 1) return share >= 0.32
  if (both) return part.length >= 24 && share >= 0.42
  return digits >= 3 && share >= 0.26
}

function kindOf(char: string): number {
  return /[a-z]/.test(char) ? 0 : /[A-Z]/.test(char) ? 1 : /\d/.test(char) ? 2 : 3
}

/** 13 to 19 digits with a card's first digit and a correct check digit. */
function cardNumberIn(text: string): boolean {
  for (const [found] of text.matchAll(/(?<![\d.])[2-6](?:[ -]?\d){12,18}(?![\d.])/g)) {
    const digits = Array.from(found.replaceAll(/\D/g, ''), Number).toReversed()
    const sum = digits.reduce(
      (total, digit, at) => total + (at % 2 === 0 ? digit : digit < 5 ? digit * 2 : digit * 2 - 9),
      0,
    )
    if (sum % 10 === 0) return true
  }
  return /\b(?:ssn|social security(?: number)?|sozialversicherungsnummer)\b\D{0,20}\d{3}[- ]?\d{2}[- ]?\d{4}/i.test(
    text,
  )
}

/** Words that are common in sentences but not in wallet word lists. */
const SENTENCE_WORDS = new Set(
  'the and for are but not was its our has had his her from were been their your'.split(' '),
)
const PHRASE_LENGTHS = new Set([12, 15, 18, 21, 24])

/**
 * Finds a wallet's recovery phrase: 12 to 24 short words in a row that do not form a sentence, or a few words if they
 * are called that.
 */
function phraseIn(text: string): boolean {
  const named =
    /\b(?:seed|recovery|mnemonic|backup|wallet|secret)[ _-]?(?:phrase|words?|seed)\b\W*(?:is|are)?\W*((?:[a-z]{3,8}[\s,]+(?:\d+[.)]\s*)?){5,}[a-z]{3,8})/i.exec(
      text,
    )
  if (
    named?.[1] !== undefined &&
    !named[1].split(/[\s,]+/).some((word) => SENTENCE_WORDS.has(word.toLowerCase()) || word === 'in')
  )
    return true
  for (const [run] of text.matchAll(/(?:(?:^|\s)(?:\d{1,2}[.)]\s*)?[a-z]{3,8},?(?=\s|$|[.!]))+/g)) {
    const words = run.match(/[a-z]{3,8}/g) ?? []
    if (PHRASE_LENGTHS.has(words.length) && !words.some((word) => SENTENCE_WORDS.has(word))) return true
  }
  return false
}
