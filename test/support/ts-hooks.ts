/**
 * Lets plain Node run the project's TypeScript (`node --import test/support/ts-hooks.ts file.ts`): Node strips the
 * types itself, these hooks add what the bundler does: imports without an ending, `?raw` text, and the version in
 * package.json. What is compiled is kept for the next process: tests start hundreds.
 */
import { existsSync, readFileSync } from 'node:fs'
import { enableCompileCache, registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

enableCompileCache(fileURLToPath(new URL('../../node_modules/.cache/compile', import.meta.url)))

const OURS = new URL('../../package.json', import.meta.url).href

registerHooks({
  resolve(specifier, context, next) {
    const ours = context.parentURL?.endsWith('.ts') === true && /^\.{1,2}\//.test(specifier)
    if (!ours || /\.(ts|js|mjs|cjs|json)$/.test(specifier)) return next(specifier, context)
    if (specifier.endsWith('?raw'))
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
    const isFolder = existsSync(new URL(`${specifier}/index.ts`, context.parentURL))
    return next(isFolder ? `${specifier}/index.ts` : `${specifier}.ts`, context)
  },
  load(url, context, next) {
    if (url === OURS) {
      const { version } = JSON.parse(readFileSync(fileURLToPath(url), 'utf8'))
      return { format: 'module', source: `export const version = ${JSON.stringify(version)}`, shortCircuit: true }
    }
    if (!url.endsWith('?raw')) return next(url, context)
    const text = readFileSync(fileURLToPath(url.slice(0, -'?raw'.length)), 'utf8')
    return { format: 'module', source: `export default ${JSON.stringify(text)}`, shortCircuit: true }
  },
})
