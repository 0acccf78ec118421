/** Signs that take no room, turn the direction of writing round, or look like a blank and are none. */
const HIDDEN = /(?!\t)[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{DI}\u2800]|(?! )\p{Zs}/gu

/** A line as it is to be judged by a person: whatever a screen would not show is written out as `\u{…}`. */
export function visibleText(line: string): string {
  return line.replace(HIDDEN, (sign) => `\\u{${sign.codePointAt(0)!.toString(16)}}`)
}

/** An argument of a command line, in quotes where its ends would not be seen. */
export function visibleWord(word: string): string {
  return /^[\w@%+=:,./~^${}*?!&;|<>()[\]#-]+$/.test(word) && word !== '' ? word : visibleText(JSON.stringify(word))
}
