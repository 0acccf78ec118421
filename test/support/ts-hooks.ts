/**
 * Lets plain Node run the project's TypeScript (`node --import test/support/ts-hooks.ts file.ts`): Node strips the types itself, these
 * hooks add what the bundler does, imports without an ending and `?raw` text.
 */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'

registerHooks({
  resolve(specifier, context, next) {
    const ours = context.parentURL?.endsWith('.ts') === true && /^\.{1,2}\//.test(specifier)
    if (!ours || /\.(ts|js|mjs|cjs|json)$/.test(specifier)) return next(specifier, context)
    if (specifier.endsWith('?raw')) return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
    return next(`${specifier}.ts`, context)
  },
  load(url, context, next) {
    if (!url.endsWith('?raw')) return next(url, context)
    const text = readFileSync(fileURLToPath(url.slice(0, -'?raw'.length)), 'utf8')
    return { format: 'module', source: `export default ${JSON.stringify(text)}`, shortCircuit: true }
  },
})
