import { namedSecretIn } from './named-secrets'
import { randomTextIn } from './random-text'

/** Keys whose form says whose they are. The names complete the sentence "It looks like …". */
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

/** A link or connection string that holds a password, or a parameter that lets others in. */
const IN_ADDRESS: readonly (readonly [name: string, form: RegExp])[] = [
  ['an address with a password', /[a-z][a-z0-9+.-]*:\/\/[^\s/:@]*:(?![^\s@]*[<{*]|\$)[^\s/@]{2,}@/i],
  [
    'a link with a key',
    /[?&#;](?:[\w-]*(?:token|secret|password|passwd|api[_-]?key|signature|auth)|sig|key|code|pwd)=(?![<{$*])[^\s&#<]{8,}/i,
  ],
]

/** What a known form of keys in the text is called; undefined without one. */
function vendorKeyIn(text: string): string | undefined {
  return [...KEYS, ...IN_ADDRESS].find(([, form]) => form.test(text))?.[0]
}

/**
 * What a text holds that looks like a secret, e.g. `a GitHub token`; undefined when nothing does. `name` is what the
 * text is stored under: `wifi password` makes a secret of any word. When in doubt it is one: a fact can be written in
 * other words, a leaked key cannot be taken back.
 */
export function secretIn(text: string, name = ''): string | undefined {
  const plain = plainText(text)
  const title = plainText(name)
  const named = title === '' ? plain : `${title}: ${plain}`
  // Parts of a literal that a line break or a plus sign divides belong together.
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

/** Without characters that are not seen, and with other forms of letters as the usual ones. */
function plainText(text: string): string {
  return text.normalize('NFKC').replaceAll(/\p{Cf}/gu, '')
}
