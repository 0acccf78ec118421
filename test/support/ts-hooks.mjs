/**
 * Lets plain Node run the project's TypeScript (`node --import test/support/ts-hooks.mjs file.ts`) and does what the
 * bundler does: imports without an ending, `?raw` text, and the version in package.json. Tests start hundreds of such
 * processes of 500 files each, so that everything that takes long is kept for the next one: what Node compiles, and the
 * source without its types, which Node's own loader takes twice as long for. In JavaScript, since stripping the types
 * of this file would need the compiler.
 */
import { hash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { enableCompileCache, registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

const CACHE = fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url))
const PLAIN = `${CACHE}/plain-${process.version}`
const OURS = new URL('../../package.json', import.meta.url).href

enableCompileCache(CACHE)

/** Files import each other three times on average. */
const resolved = new Map()

registerHooks({
  resolve(specifier, context, next) {
    if (specifier.startsWith('node:')) return { url: specifier, format: 'builtin', shortCircuit: true }
    const { parentURL = '' } = context
    const ours = /^\.{1,2}\//.test(specifier) && parentURL.endsWith('.ts')
    if (!ours || /\.(js|mjs|cjs|json)$/.test(specifier)) return next(specifier, context)
    const url = new URL(specifier, parentURL).href
    let file = resolved.get(url)
    if (file === undefined) resolved.set(url, (file = fileOf(url)))
    return { url: file, format: 'module', shortCircuit: true }
  },
  load(url, context, next) {
    if (url === OURS) {
      const { version } = JSON.parse(readFileSync(fileURLToPath(url), 'utf8'))
      return { format: 'module', source: `export const version = ${JSON.stringify(version)}`, shortCircuit: true }
    }
    if (url.endsWith('?raw')) {
      const text = readFileSync(fileURLToPath(url.slice(0, -'?raw'.length)), 'utf8')
      return { format: 'module', source: `export default ${JSON.stringify(text)}`, shortCircuit: true }
    }
    if (!url.startsWith('file:') || !url.endsWith('.ts')) return next(url, context)
    const source = withoutTypes(readFileSync(fileURLToPath(url), 'utf8'))
    return { format: 'module', source, shortCircuit: true }
  },
})

/** @param {string} url What an import means, without an ending. */
function fileOf(url) {
  if (url.endsWith('?raw') || url.endsWith('.ts')) return url
  return existsSync(fileURLToPath(`${url}/index.ts`)) ? `${url}/index.ts` : `${url}.ts`
}

/** @param {string} text */
function withoutTypes(text) {
  const kept = `${PLAIN}/${hash('sha1', text)}`
  try {
    return readFileSync(kept, 'utf8')
  } catch {
    const plain = strip(text)
    try {
      mkdirSync(PLAIN, { recursive: true })
      // Atomically, because other processes can read it at any time.
      writeFileSync(`${kept}.${process.pid}`, plain)
      renameSync(`${kept}.${process.pid}`, kept)
    } catch {
      // Another user runs this, who may not write here: the next process strips the types again.
    }
    return plain
  }
}

/**
 * Without Node's warning that the function may change: the output must contain only what the program prints.
 *
 * @param {string} text
 */
function strip(text) {
  const { emitWarning } = process
  process.emitWarning = () => {}
  try {
    return stripTypeScriptTypes(text)
  } finally {
    process.emitWarning = emitWarning
  }
}
