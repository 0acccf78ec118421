/**
 * Takes Node's own modules from `process.getBuiltinModule` instead of importing them. An import of `node:fs` asks for
 * the value of every export of the module to make names of them, also of those that Node loads on demand: 15 ms of a
 * start went to parts of Node that nothing uses (file streams, WebCrypto, `TextDecoder`, block lists).
 */
import type { Plugin } from 'vite'

/** What this needs of a finished file. */
interface OutputFile {
  imports: readonly string[]
  code: string
}

/**
 * Changes the finished files. Files that import each other in a circle stay as they are: their functions may be called
 * before the file's first line has run, when only real imports are there.
 */
export function builtInModules(): Plugin {
  return {
    name: 'built-in-modules',
    generateBundle(_options, bundle) {
      const files = new Map(
        Object.values(bundle).flatMap((file) => (file.type === 'chunk' ? [[file.fileName, file] as const] : [])),
      )
      for (const [name, file] of files) if (!isInCircle(name, files)) file.code = withoutBuiltInImports(file.code)
    },
  }
}

/** The code with every import of a module of Node's own as a declaration. */
export function withoutBuiltInImports(code: string): string {
  return code.replace(
    /^import (?:(\w[\w$]*)|\* as ([\w$]+))?(?:, )?(?:\{([^}]*)\} )?\s*from "(node:[\w/]+)";$/gm,
    (_line, standard?: string, all?: string, names?: string, module?: string) => {
      const source = `process.getBuiltinModule("${module}")`
      const whole = [standard, all].filter((name) => name !== undefined).map((name) => `const ${name} = ${source};`)
      const some = names === undefined ? [] : [`const {${names.replaceAll(' as ', ': ')}} = ${source};`]
      return [...whole, ...some].join(' ')
    },
  )
}

function isInCircle(name: string, files: ReadonlyMap<string, OutputFile>): boolean {
  const open = [name]
  const seen = new Set<string>()
  for (const file of open)
    for (const imported of files.get(file)?.imports ?? []) {
      if (imported === name) return true
      if (seen.has(imported)) continue
      seen.add(imported)
      open.push(imported)
    }
  return false
}
