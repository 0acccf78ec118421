import { homedir } from 'node:os'
import { join, resolve } from 'node:path'

/**
 * A test for absolute paths: the pattern is relative to `root`, absolute, or begins with `~`. `*` and `?` stay within a folder's name, `**`
 * does not; dots are nothing special. With `broad` (for deny and ask) case does not matter and what lies below a match matches too.
 */
export function pathGlob(pattern: string, root: string, { broad = false, home = homedir() } = {}): (path: string) => boolean {
  const expanded = pattern === '~' || pattern.startsWith('~/') ? home + pattern.slice(1) : pattern
  const absolute = expanded.startsWith('/') ? resolve(expanded) : join(root, expanded.replace(/^\.\//, ''))
  // What is in a folder is the folder, for a tool that lists or searches it.
  const [folder, inside] = absolute.endsWith('/**') ? [absolute.slice(0, -3), true] : [absolute, broad]
  const expression = new RegExp(`^${source(folder.normalize('NFC'))}${inside ? '(?:/.*)?' : ''}$`, broad ? 'isu' : 'su')
  return (path) => expression.test(path.normalize('NFC'))
}

function source(glob: string): string {
  let out = ''
  let depth = 0
  for (let at = 0; at < glob.length; at += 1) {
    const char = glob[at]!
    if (char === '*' && glob[at + 1] === '*') {
      at += 1
      if (glob[at + 1] === '/') {
        at += 1
        out += '(?:.*/)?'
      } else out += '.*'
    } else if (char === '*') out += '[^/]*'
    else if (char === '?') out += '[^/]'
    else if (char === '[') {
      const end = glob.indexOf(']', at + 2)
      if (end < 0) out += '\\['
      else {
        const body = glob.slice(at + 1, end).replace(/[\\[\]]/g, '\\$&')
        out += `[${body.replace(/^!/, '^')}]`
        at = end
      }
    } else if (char === '{') {
      depth += 1
      out += '(?:'
    } else if (char === '}' && depth > 0) {
      depth -= 1
      out += ')'
    } else if (char === ',' && depth > 0) out += '|'
    else out += char.replace(/[\\^$.|+()[\]{}/]/, '\\$&')
  }
  return out + ')'.repeat(depth)
}
