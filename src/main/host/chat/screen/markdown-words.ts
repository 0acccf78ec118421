import type { MarkedToken, Token } from 'marked'
import { safeText } from './safe-text'
import type { Style } from './style'

type Paint = (text: string) => string

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'", nbsp: ' ' }

/** The words of a paragraph, a cell or a heading with their styles. Each word has its own codes, so that lines can be broken between any two. */
export function styledWords(tokens: readonly Token[], style: Style, paint: Paint = (text) => text): string {
  return tokens.map((token) => wordsOf(token as MarkedToken, style, paint)).join('')
}

function wordsOf(token: MarkedToken, style: Style, paint: Paint): string {
  const within = (children: readonly Token[], more: Paint): string => styledWords(children, style, (text) => more(paint(text)))
  switch (token.type) {
    case 'strong':
      return within(token.tokens, style.bold)
    case 'em':
      return within(token.tokens, style.italic)
    case 'del':
      return within(token.tokens, style.struck)
    case 'codespan':
      return eachWord(token.text, (word) => style.blue(paint(word)))
    case 'br':
      return '\n'
    case 'checkbox':
      return ''
    case 'link': {
      const words = within(token.tokens, style.underline)
      // Where it leads is on screen: a link's words can say anything.
      return sameTarget(token.text, token.href) ? words : `${words} ${style.dim(safeText(`(${token.href})`))}`
    }
    case 'image':
      return `${eachWord(token.text === '' ? 'Image' : token.text, paint)} ${style.dim(safeText(`(${token.href})`))}`
    case 'text':
      return 'tokens' in token && token.tokens ? styledWords(token.tokens, style, paint) : eachWord(decoded(token.text), paint)
    case 'escape':
      return eachWord(token.text, paint)
    default:
      return eachWord(token.raw, paint)
  }
}

function eachWord(text: string, paint: Paint): string {
  return safeText(text).replaceAll(/\S+/gu, (word) => paint(word))
}

/** The few entities that models write; all others stay as they are. */
function decoded(text: string): string {
  return text.replaceAll(/&(amp|lt|gt|quot|#39|nbsp);/g, (_all, name: string) => ENTITIES[name]!)
}

function sameTarget(text: string, href: string): boolean {
  return text === href || `mailto:${text}` === href || `http://${text}` === href
}
