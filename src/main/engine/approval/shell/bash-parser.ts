import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import type { Parser } from 'web-tree-sitter'

let loading: Promise<Parser> | undefined

/** The grammar of bash; loaded when first needed (about 25 ms and 15 MB), then kept. */
export function bashParser(): Promise<Parser> {
  loading ??= load().catch((error: unknown) => {
    loading = undefined
    throw error
  })
  return loading
}

async function load(): Promise<Parser> {
  const [{ Language, Parser: TreeSitter }, grammar] = await Promise.all([
    import('web-tree-sitter'),
    readFile(createRequire(import.meta.url).resolve('tree-sitter-bash/tree-sitter-bash.wasm')),
  ])
  // V8's optimising compiler takes 500 MB and half a second of a core for the tables of this grammar; its quick one is fast enough.
  setFlagsFromString('--no-wasm-tier-up')
  setFlagsFromString('--no-wasm-dynamic-tiering')
  await TreeSitter.init()
  const parser = new TreeSitter()
  parser.setLanguage(await Language.load(new Uint8Array(grammar)))
  // What runs for the first time takes many times longer; that should not count as the time of a command.
  parser.parse('a=1 b "$c" >d && (e || f $(g)) | h; if i; then j; fi; for k in l; do m; done')?.delete()
  return parser
}
