import { join } from 'node:path'
import type { UserConfig } from 'vite'
import { build } from 'vite'
import config from '../../electron.vite.config'

const root = join(import.meta.dirname, '..', '..')

function isCompression(plugin: unknown): boolean {
  return typeof plugin === 'object' && plugin !== null && 'name' in plugin && plugin.name === 'compressed-assets'
}

/** Builds the real interface into a folder, as the product builds it. */
export async function buildRenderer(outDir: string): Promise<void> {
  const renderer = (config as { renderer: UserConfig }).renderer
  await build({
    ...renderer,
    // The desktop app reads the files as they are; compressing them takes longer than everything else.
    plugins: renderer.plugins?.filter((plugin) => !isCompression(plugin)),
    configFile: false,
    logLevel: 'error',
    root: join(root, 'src', 'renderer'),
    base: './',
    build: {
      ...renderer.build,
      outDir,
      emptyOutDir: true,
      rolldownOptions: { input: join(root, 'src', 'renderer', 'index.html') },
    },
  })
}
