/** Numbers as people type them. */

/** Groups of three digits with the same character between all of them. */
const GROUPED = /^[1-9]\d{0,2}(?:([\s_'’,.])\d{3})(?:\1\d{3})*$/
/** Spaces and quotes between groups can only separate thousands. */
const GAPS = /(?<=\d)[\s_'’](?=\d{3}(?!\d))/g

/**
 * A number with a decimal point or comma: `1.5`, `1,5`, `1,000`, `1,234.56`, `1.234,56`, `1e-5`. `NaN` for anything
 * else.
 */
export function numberIn(text: string): number {
  const { sign, digits } = read(text)
  if (/^\d+(?:\.\d+)?e[+-]?\d+$/i.test(digits)) return sign * Number(digits)
  const [, whole = '', fraction = ''] = /^(.+)[.,](\d*)$/.exec(digits) ?? []
  if (/[.,]/.test(whole)) {
    const isFraction = digits.at(whole.length) !== /[.,]/.exec(whole)?.[0]
    const all = isFraction ? whole : digits
    return GROUPED.test(all) ? sign * Number(`${all.replace(/\D/g, '')}.${isFraction ? fraction : ''}`) : Number.NaN
  }
  if (GROUPED.test(digits) && digits.includes(',')) return sign * Number(digits.replaceAll(',', ''))
  return /^(?:\d+[.,]?\d*|[.,]\d+)$/.test(digits) ? sign * Number(digits.replace(',', '.')) : Number.NaN
}

/** A whole number: `128000`, `128,000`, `128.000`, `128 000`, `128k`. `NaN` for anything else. */
export function wholeNumberIn(text: string): number {
  const { sign, digits } = read(text)
  const [, count = '', thousands] = /^(.*?)(k?)$/i.exec(digits) ?? []
  if (!/^\d+$/.test(count) && !GROUPED.test(count)) return Number.NaN
  return sign * Number(count.replace(/\D/g, '')) * (thousands ? 1000 : 1)
}

function read(text: string): { sign: 1 | -1; digits: string } {
  const [, minus, rest = ''] = /^([-−]?)(.*)$/s.exec(text.trim().replace(/^\$\s*/, '')) ?? []
  return { sign: minus ? -1 : 1, digits: rest.replace(GAPS, '') }
}
