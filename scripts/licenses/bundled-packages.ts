import { mkdir, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Plugin } from 'vite'

/**
 * The folder of the package that a module belongs to, as a path below the project (`node_modules/@scope/name`), or
 * undefined for our own modules.
 */
export function packageFolder(moduleId: string): string | undefined {
  const path = moduleId.replaceAll('\\', '/').replace(/^\0/, '')
  const start = path.indexOf('node_modules/')
  // Packages can be nested: the last node_modules counts. The trailing part is the package's name, with its scope if it
  // has one.
  return start === -1 ? undefined : /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/?]+/.exec(path.slice(start))?.[0]
}

/**
 * Writes which npm packages a bundle contains to `file`, as a sorted JSON list of folders: the license list is
 * generated from it.
 */
export function bundledPackages(file: string): Plugin {
  return {
    name: 'bundled-packages',
    apply: 'build',
    async generateBundle() {
      const folders = new Set<string>()
      for (const id of this.getModuleIds()) {
        // Without code: it is loaded from its package at run time.
        const isOutside = this.getModuleInfo(id)?.code === null
        const folder = isOutside ? undefined : packageFolder(id)
        if (folder !== undefined) folders.add(folder)
      }
      await mkdir(dirname(file), { recursive: true })
      await writeFile(file, `${JSON.stringify([...folders].toSorted(), null, 2)}\n`)
    },
  }
}
