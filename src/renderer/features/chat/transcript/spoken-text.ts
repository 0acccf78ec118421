import type { Token, Tokens } from 'marked'
import { decodeEntities } from '../markdown-elements/read-html'
import { createLexer, type DetailsToken, type FootnoteToken } from '../markdown/markdown-lexer'

/** Markdown as a person would read it aloud: the text without its marks, one line for each block, row or item. */
export function spokenText(source: string): string {
  return blocksText(createLexer().lex(source))
}

function blocksText(tokens: readonly Token[]): string {
  return tokens
    .map(blockText)
    .filter((text) => text.trim() !== '')
    .join('\n')
}

function blockText(token: Token): string {
  switch (token.type) {
    case 'space':
    case 'def':
    case 'hr':
      return ''
    case 'code': {
      const { lang, text } = token as Tokens.Code
      return lang === 'mermaid' ? 'A diagram.' : text
    }
    case 'list': {
      const { items, ordered, start } = token as Tokens.List
      return items.map((item, index) => itemText(item, ordered ? Number(start) + index : undefined)).join('\n')
    }
    case 'table': {
      const { header, rows } = token as Tokens.Table
      return [header, ...rows]
        .map((cells) => cells.map(({ tokens }) => inlineText(tokens)).filter((text) => text !== ''))
        .map((cells) => cells.join(', '))
        .join('\n')
    }
    case 'blockquote':
      return blocksText((token as Tokens.Blockquote).tokens).replace(/^\[!(\w+)\]\s*/, alertWord)
    case 'details': {
      const { summary, tokens } = token as DetailsToken
      return [inlineText(summary), blocksText(tokens)].join('\n')
    }
    case 'footnote':
      return inlineText((token as FootnoteToken).tokens)
    default:
      return inlineText([token])
  }
}

/** `[!NOTE]` as the word it stands for. */
function alertWord(_mark: string, kind: string): string {
  return `${kind.charAt(0).toUpperCase()}${kind.slice(1).toLowerCase()}: `
}

function itemText({ task, checked, tokens }: Tokens.ListItem, number: number | undefined): string {
  const mark = task ? (checked ? 'Done: ' : 'To do: ') : number === undefined ? '' : `${number}. `
  return mark + blocksText(tokens)
}

function inlineText(tokens: readonly Token[]): string {
  return tokens.map(spanText).join('')
}

function spanText(token: Token): string {
  const { tokens, text, raw, tex } = token as Tokens.Generic
  switch (token.type) {
    case 'br':
      return '\n'
    case 'checkbox':
    case 'footnoteMark':
      return ''
    case 'math':
      return String(tex)
    case 'html':
      return decodeEntities(raw.replace(/<[^<>]*>/g, ''))
    case 'escape':
    case 'codespan':
      return String(text)
    default:
      return tokens ? inlineText(tokens) : decodeEntities(String(text ?? raw))
  }
}
