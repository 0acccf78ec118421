/** A glob taken apart: the folder it begins with is literal, the rest is to be matched below it. */
export interface GlobParts {
  /** As written, with `/`; empty when the pattern begins with a wildcard. May be absolute, begin with `~` or contain `..`. */
  folder: string
  pattern: string
  /** The pattern ended in a slash. */
  foldersOnly: boolean
  /** The rest is nothing but wildcards: every file below the folder. */
  isAnything: boolean
}

const MAGIC = /[*?[\]{}\\]/

/** Takes the literal beginning off, so that only that folder is walked; or says why the pattern cannot be used. */
export function splitGlob(written: string): GlobParts | { problem: string } {
  if (written.includes('\0')) return { problem: 'A pattern cannot contain a NUL character.' }
  const foldersOnly = written.endsWith('/')
  const steps = written.split('/').filter((step, index) => step !== '.' && (step !== '' || index === 0))
  const last = steps.length - 1
  const literal = steps.findIndex((step, index) => index === last || MAGIC.test(step))
  const folder = steps.slice(0, Math.max(0, literal)).join('/')
  const rest = steps.slice(Math.max(0, literal))
  if (rest.length === 0 || rest.join('') === '')
    return { problem: `${JSON.stringify(written)} names a folder, not a pattern. Use ListDirectory.` }
  if (rest.includes('..'))
    return { problem: 'A pattern cannot go up with .. after its wildcards begin. Start from the folder above with path.' }
  const pattern = rest.join('/')
  const isAnything = /^[*?/{},]*$/.test(pattern)
  if (isAnything && folder === '') {
    return {
      problem: `${JSON.stringify(written)} is wildcards alone and would list everything. Give it a literal part, e.g. src/**, *.ts or **/test/*, or use ListDirectory.`,
    }
  }
  return { folder: folder === '' && written.startsWith('/') ? '/' : folder, pattern, foldersOnly, isAnything }
}
