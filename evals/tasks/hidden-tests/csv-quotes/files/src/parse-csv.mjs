/** Rows of a text in CSV (RFC 4180). */
export function parseCsv(text) {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split(','))
}
