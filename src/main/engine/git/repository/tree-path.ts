/**
 * Names that mean `.git` on a file system that ignores case, invisible characters (macOS), or points and blanks at the end
 * and what follows a colon (Windows), and its short name there. Git refuses them as well.
 */
const REPOSITORY = /^(?:\.git|git~\d+)$/
const INVISIBLE = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/**
 * Whether a path from a repository, each byte a character, stays below the folder it is relative to and out of the
 * repository itself. A hostile one may have any names, also those that git refuses to make.
 */
export function isSafeTreePath(latin1: string): boolean {
  return !latin1.includes('\0') && latin1.split('/').every(isSafeName)
}

function isSafeName(latin1: string): boolean {
  if (latin1 === '' || latin1 === '.' || latin1 === '..') return false
  const name = Buffer.from(latin1, 'latin1').toString('utf8')
  // On Windows these separate folders, name a drive, or a stream of a file.
  if (process.platform === 'win32' && /[\\:]/.test(name)) return false
  return name.split('\\').every((part) => {
    const folded = part
      .replaceAll(INVISIBLE, '')
      .toLowerCase()
      .replace(/:.*$/s, '')
      .replace(/[. ]+$/, '')
    return !REPOSITORY.test(folded)
  })
}
