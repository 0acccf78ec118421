/** A run of terminal text with one style. Colors are names of the 16-color palette or `#rrggbb`. */
export interface AnsiSpan {
  text: string
  color?: string
  background?: string
  bold?: boolean
  dim?: boolean
  italic?: boolean
  underline?: boolean
}

type Style = Omit<AnsiSpan, 'text'>

const ESC = '\\u001b'
/**
 * CSI with its parameters and final letter, OSC and other strings with their text, other escapes, and control
 * characters except tab and newline.
 */
const CONTROL = new RegExp(
  [
    `${ESC}\\[([0-9;:?<=>]*)[ -/]*([@-~])`,
    `${ESC}\\][^\\u0007${ESC}]*(?:\\u0007|${ESC}\\\\)?`,
    `${ESC}[PX^_][^${ESC}]*(?:${ESC}\\\\)?`,
    `${ESC}[ -/]*[0-~]?`,
    '[\\u0000-\\u0008\\u000b-\\u001a\\u001c-\\u001f\\u007f]',
  ].join('|'),
  'g',
)

const NAMES = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white']

/**
 * Terminal output as styled runs: keeps colors and weight, drops every other escape sequence, and shows the final state
 * of a line that was redrawn after a carriage return.
 */
export function ansiSpans(text: string): AnsiSpan[] {
  const spans: AnsiSpan[] = []
  let style: Style = {}
  const source = settle(text)
  let from = 0
  const put = (to: number): void => {
    if (to > from) spans.push({ text: source.slice(from, to), ...style })
  }
  for (const match of source.matchAll(CONTROL)) {
    put(match.index)
    from = match.index + match[0].length
    if (match[2] === 'm') style = applied(style, match[1] ?? '')
  }
  put(source.length)
  return spans
}

/** The text without escape sequences. */
export function withoutAnsi(text: string): string {
  return ansiSpans(text)
    .map((span) => span.text)
    .join('')
}

/** Lines in their final state: text before the last carriage return was overwritten. */
function settle(text: string): string {
  if (!text.includes('\r')) return text
  return text
    .replace(/\r+\n/g, '\n')
    .split('\n')
    .map((line) => {
      const trimmed = line.replace(/\r+$/, '')
      return trimmed.slice(trimmed.lastIndexOf('\r') + 1)
    })
    .join('\n')
}

function applied(before: Style, codes: string): Style {
  let style: Style = { ...before }
  const list = codes === '' ? [0] : codes.split(/[;:]/).map(Number)
  for (let n = 0; n < list.length; n += 1) {
    const code = list[n] ?? 0
    if (code === 0) style = {}
    else if (code === 1) style.bold = true
    else if (code === 2) style.dim = true
    else if (code === 3) style.italic = true
    else if (code === 4) style.underline = true
    else if (code === 22) style = without(without(style, 'bold'), 'dim')
    else if (code === 23) style = without(style, 'italic')
    else if (code === 24) style = without(style, 'underline')
    else if (code === 39) style = without(style, 'color')
    else if (code === 49) style = without(style, 'background')
    else if (code >= 30 && code <= 37) style.color = NAMES[code - 30] ?? 'white'
    else if (code >= 90 && code <= 97) style.color = `bright-${NAMES[code - 90] ?? 'white'}`
    else if (code >= 40 && code <= 47) style.background = NAMES[code - 40] ?? 'black'
    else if (code >= 100 && code <= 107) style.background = `bright-${NAMES[code - 100] ?? 'black'}`
    else if (code === 38 || code === 48) {
      const { color, used } = extended(list.slice(n + 1))
      n += used
      if (color !== undefined) style[code === 38 ? 'color' : 'background'] = color
    }
  }
  return style
}

function without(style: Style, key: keyof Style): Style {
  const { [key]: _gone, ...rest } = style
  return rest
}

/** The color after 38 or 48: `5;n` of 256 colors or `2;r;g;b`. */
function extended(codes: readonly number[]): { color?: string; used: number } {
  if (codes[0] === 2) return { color: hex(codes[1], codes[2], codes[3]), used: 4 }
  if (codes[0] !== 5) return { used: 0 }
  const n = codes[1] ?? 0
  if (n < 8) return { color: NAMES[n] ?? 'white', used: 2 }
  if (n < 16) return { color: `bright-${NAMES[n - 8] ?? 'white'}`, used: 2 }
  if (n >= 232) return { color: hex(8 + (n - 232) * 10, 8 + (n - 232) * 10, 8 + (n - 232) * 10), used: 2 }
  return {
    color: hex(level(Math.floor((n - 16) / 36)), level(Math.floor((n - 16) / 6) % 6), level((n - 16) % 6)),
    used: 2,
  }
}

/** A step of the 6 x 6 x 6 color cube. */
function level(value: number): number {
  return value === 0 ? 0 : 55 + value * 40
}

function hex(...parts: (number | undefined)[]): string {
  return `#${parts
    .map((part) =>
      Math.max(0, Math.min(255, Math.round(part ?? 0) || 0))
        .toString(16)
        .padStart(2, '0'),
    )
    .join('')}`
}
