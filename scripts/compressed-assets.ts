import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { Plugin } from 'vite'

/** Text that is worth compressing; fonts and pictures already are. */
const TEXT = /\.(?:m?js|css|html|svg|json)$/
/** Smaller files fit into one packet uncompressed. */
const MIN_BYTES = 1024

/**
 * Adds `name.br` and `name.gz` for every text file of the built interface, so that the web host never compresses while
 * a client waits. The desktop app reads the plain files.
 */
export function compressedAssets(): Plugin {
  let folder = ''
  return {
    name: 'compressed-assets',
    apply: 'build',
    configResolved: (config) => {
      folder = resolve(config.root, config.build.outDir)
    },
    closeBundle: {
      order: 'post',
      sequential: true,
      handler: async () => {
        const names = (await readdir(folder, { recursive: true })).filter((name) => TEXT.test(name))
        for (const name of names) await compress(join(folder, name))
      },
    },
  }
}

async function compress(file: string): Promise<void> {
  const text = await readFile(file)
  if (text.length < MIN_BYTES) return
  const options = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: text.length } }
  const [br, gz] = await Promise.all([promisify(brotliCompress)(text, options), promisify(gzip)(text, { level: 9 })])
  await Promise.all([writeFile(`${file}.br`, br), writeFile(`${file}.gz`, gz)])
}
