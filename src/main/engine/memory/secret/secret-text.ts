import { namedSecretIn } from './named-secrets'
import { randomTextIn } from './random-text'
import { vendorKeyIn } from './vendor-keys'

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
