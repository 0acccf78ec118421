const MASK = '••••'
/** Prefixes of well-known keys, and texts that only a machine generates. */
const KEY =
  /^(?:sk-|sk_|pk_|rk_|gh[pousr]_|github_pat_|glpat-|xox[a-z]-|AKIA|AIza|eyJ|ntn_|secret_|lin_api_|figd_|hf_|npm_|pat_|Bearer )/
const TELLING = /(?:key|token|secret|password|passwd|pwd|auth|credential|signature|sig)$/i

/** A command line or an address for a list, with likely secrets masked. Not for consent: that shows everything. */
export function maskSecrets(words: readonly string[]): string[] {
  return words.map((word, index) => {
    const before = words[index - 1]
    if (
      before !== undefined &&
      /^--?[\w-]+$/.test(before) &&
      TELLING.test(before) &&
      !word.startsWith('-') &&
      !isVariable(word)
    )
      return MASK
    const [, flag, value] = /^([\w.-]+)=(.+)$/s.exec(word) ?? []
    if (flag !== undefined && value !== undefined && (TELLING.test(flag) || KEY.test(value)) && !isVariable(value))
      return `${flag}=${MASK}`
    if (KEY.test(word)) return MASK
    return /^https?:/i.test(word) ? maskUrl(word) : word
  })
}

/** An address with a password and the values of secret-looking parameters masked. */
export function maskUrl(url: string): string {
  return url
    .replace(/^(https?:\/\/[^/?#@]*:)[^/?#@]*@/i, `$1${MASK}@`)
    .replace(/([?&]([^=&#]+)=)([^&#]+)/g, (whole, start: string, name: string, value: string) =>
      (TELLING.test(name) || KEY.test(value)) && !isVariable(value) ? `${start}${MASK}` : whole,
    )
}

function isVariable(text: string): boolean {
  return /^\$\{[^}]*\}$/.test(text)
}
