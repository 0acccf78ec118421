/** Ends as lines do that wait for an answer. Says little by itself: "Listening:" does, too. */
export function endsOpen(line: string): boolean {
  return /[?:>\])»›❯…$#]$/u.test(line.trim()) || looksLikeQuestion(line)
}

/** What only a person can be asked for, at the end of the line. */
const ASKED =
  /(?:pass ?(?:word|phrase|code)|passwort|mot de passe|\bPIN\b|\bOTP\b|one-time (?:code|password)|(?:verification|authentication|security|two-factor|2fa) code|\btoken\b|user ?name|\blogin|e-?mail(?: address)?)(?:(?![.!;] ).){0,80}[:?>]$/iu
const YES_OR_NO =
  /[([<{]\s*(?:y(?:es)?\s*[/|,]\s*n(?:o)?|n(?:o)?\s*[/|,]\s*y(?:es)?)\b.{0,20}[)\]>}]\s*[?:>]?$|\by(?:es)?\/n(?:o)?\s*[?:>]$/iu
const KEY = /\b(?:press|hit|type)\b.{0,60}\b(?:key|enter|return|yes|y|to continue)\b.{0,40}$/iu

/** Reads as a question to a person, whoever prints it. */
export function looksLikeQuestion(line: string): boolean {
  const text = line.trim()
  return text.endsWith('?') || ASKED.test(text) || YES_OR_NO.test(text) || KEY.test(text)
}
