/** What people call a secret that can be any word: what follows the name is the secret. */
const ANY_WORD = String.raw`passw(?:or)?[dt]e?s?|passwd|passphrases?|pwd|pw|kennwort|passwort|mot de passe|contraseña|contrasena|senha|wachtwoord|adgangskode|lösenord|hasło|parola`
/** What people call a secret that has digits. */
const DIGITS = String.raw`pass[ _-]?codes?|(?:secret|security|door|alarm|gate|safe|lock|access|entry|unlock|recovery|backup|verification|garage|voicemail|vault|padlock)[ _-]?(?:codes?|pins?|numbers?|combinations?)|combination|pins?(?:[ _-]?(?:codes?|numbers?))?|cvv|cvc|tan|geheimzahl`
/** What people call a secret that looks random: other words after the name are no secret. */
const RANDOM_WORD = String.raw`(?:api|app|access|auth|encryption|private|secret|signing|license|licence|product|service|account|master|deploy|shared|client|session|webhook|ssh|psk|wpa|host|admin|consumer|subscription)[ _-]?(?:key|secret|token|id[ _-]?secret)s?|secret(?:[ _-]?(?:key|access[ _-]?key)(?:[ _-]?base)?)?|[\w-]*token|credentials?|logins?|bearer|psk|api[ _-]?key|salt|cookie|session[ _-]?id`

/** Between a name and its secret. */
const LINK = String.raw`["'\x60*_]*\s*(?:\([^)]{0,40}\)\s*)?(?:=>|:=|->|→|[:=]|\b(?:is|are|was|being|equals|reads|lautet|ist|est|es|är|er|set to|changed to|now)\b:?)\s*(?:now |still |just |set to |called )?["'\x60*_]*`
const VALUE = String.raw`([^\s"'\x60]+)(.{0,80})`

const ABOUT = String.raw`(?:[ _-]?(?:for|of|to|on|at|für|von)\b[^:=\n]{1,40}?)?`
const START = String.raw`(?:^|[^\p{L}])(?:[\p{L}\d]*_)?`

const ASSIGNED = new RegExp(
  String.raw`${START}(?:(${ANY_WORD})|(${DIGITS})|(${RANDOM_WORD}))${ABOUT}${LINK}${VALUE}`,
  'giu',
)
/**
 * The same without a word between, as far as the value cannot be part of a sentence: `the PIN 0815`, `api key
 * 9f8e7d6c5b4a`.
 */
const BARE = new RegExp(
  String.raw`${START}(?:(${ANY_WORD})|(${DIGITS})|(${RANDOM_WORD}))s?\s+["'\x60“]?([^\s"'\x60”]+)(.{0,80})`,
  'giu',
)
/** Forms of commands and of sign-in data. */
const FORMS: readonly RegExp[] = [
  /(?:--(?:password|passwd|pass|token|secret|api-key)[= ]|\s-u\s+[^\s:]+:)["']?(?![<{$*])(\S{4,})/i,
  /\b(?:credentials?|logins?|sign-in|account|zugangsdaten)\b[^\n:=]{0,20}[:=]\s*\S+\s*[/,:|]\s*(?![<{$*])(?=\S*\d)(?=\S*\p{L})(\S{6,})/iu,
  /\buser(?:name)?\b\s*[:=]?\s*\S+\s*(?:[,;/]|and|und)\s*(?:the )?(?:password|passwort|pass|pw)\s+(?!is\b|from\b|in\b|comes\b|stored\b)["']?(?![<{$*])(\S{3,})/i,
  /\bpass\s*[:=]\s*["']?(?![<{$*])(?=\S*\d)(\S{5,})/i,
  /\bpassw(?:or)?[dt]\s+["'`“](?![<{$*])([^\s"'`”]{3,})["'`”]/i,
]

/** Words with which a sentence about a secret continues that does not give it away. */
const PROSE = new Set(
  (
    'a an the stored kept saved managed rotated rotates rotating required needed needs not never no none in on at under inside behind with without by from via through to for of and or ' +
    'only always same different changed expired expires expiring valid invalid reset empty optional unknown secret known shared written printed asked checked hashed encrypted salted generated ' +
    'created provided injected read loaded set defined configured found located available looked held too very longer shorter at least more less up between must should can may cannot will would ' +
    'ask see use using come comes lives live i we you he she it they this that there his her my our your their what where how when who which if because since as like about handled protected ' +
    'safe secure strong weak case-sensitive enough forbidden allowed disabled enabled turned off banned visible hidden missing redacted confidential private public ' +
    'passed entered typed sent given issued renewed revoked refreshed invalidated checked verified validated cached limited scoped short-lived tied bound signed part one two three all any every each ' +
    'bitwarden keepass keepassxc 1password lastpass vault keychain dashlane protonpass yubikey fido2 oauth2 oauth jwt saml sso httponly samesite bcrypt argon2 argon2id scrypt pbkdf2 env environment ' +
    'im in der die das ein eine nicht steht liegt bei auf unter wird ist sind gespeichert'
  ).split(' '),
)
const PLACEHOLDER =
  /^(?:[<[{($%].*|\*+|x{3,}|\.{2,}|…+|-+|_+|your[-_].*|example.*|placeholder.*|redacted.*|todo|tbd|n\/a|null|undefined|true|false|yes|no)[.,;]?$/i

/**
 * Whether the text gives a secret after its name, as in `password: …`, `DB_PASSWORD=…`, `"token": "…"` or `the PIN is
 * …`.
 */
export function namedSecretIn(text: string): string | undefined {
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

/** Any word can be a password, except those that continue a sentence. */
function isPassword(value: string): boolean {
  return value.length >= 3 && !PROSE.has(value.toLowerCase())
}

/** Digits or signs between letters. */
function isUnlikeWord(value: string): boolean {
  return (
    value.length >= 5 &&
    /\d/.test(value) &&
    /[\p{L}!#$%&*+?@^~]/u.test(value) &&
    !/^\d+(?:st|nd|rd|th|px|ms|s|h|kg?|gb|mb)$/i.test(value)
  )
}

/** At least four digits, as in a PIN; or three of a card. */
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
