import { spawnSync } from 'node:child_process'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { resolve } from 'node:path'
import { defineConfig } from 'electron-vite'
import type { Plugin } from 'vite'
import { compressedAssets } from './scripts/compressed-assets.ts'
import { startChunks, type ProgramPart } from './scripts/start-chunks.ts'
import { bundledPackages } from './scripts/licenses/bundled-packages.ts'

/**
 * Packages with native code or files of their own: they stay outside the bundle (and outside the asar). Everything else
 * is bundled.
 */
const OUTSIDE = [
  'electron',
  'node-pty',
  '@napi-rs/keyring',
  '@vscode/ripgrep',
  'sharp',
  'tree-sitter-bash',
  'web-tree-sitter',
]
const HEADER_LIST = resolve(import.meta.dirname, 'src/main/engine/network/header-list.ts')
const LIGHT_STREAMS = resolve(import.meta.dirname, 'src/main/engine/network/light-streams.ts')
const FORM_DATA = resolve(import.meta.dirname, 'src/main/engine/network/form-data.ts')
const external = [/^node:/, new RegExp(`^(${OUTSIDE.join('|')})(/|$)`)]

/** What is loaded as a whole (scripts/start-chunks.ts). */
const PARTS: ProgramPart[] = [
  { name: 'cli', entries: ['src/main/command-line/main.ts'] },
  { name: 'client', entries: ['src/main/host/print/join-print.ts', 'src/main/host/wire/attach-main.ts'] },
  { name: 'host', entries: ['src/main/task-host.ts'] },
  { name: 'engine', entries: ['src/main/engine/engine.ts', 'src/main/host/print/print-main.ts'] },
  { name: 'model', entries: ['src/main/engine/model/adapter/adapter.ts'] },
  {
    name: 'calls',
    entries: ['src/main/engine/approval/judging.ts', 'src/main/engine/loop/tool-calls.ts'],
    after: 'engine',
  },
  { name: 'commands', entries: ['src/main/engine/approval/command/inspect-command.ts'], after: 'calls' },
  { name: 'terminal', entries: ['src/main/engine/task/pty/start-in-terminal.ts'] },
  {
    name: 'worker',
    entries: [
      'src/main/engine/web/article-worker.ts',
      'src/main/engine/mail/message/mail-html-worker.ts',
      'src/main/engine/store/backup/backup-worker.ts',
      'src/main/engine/config/key-store/key-store-process.ts',
      'src/main/engine/runtime/worker-host.ts',
      'src/main/engine/model/media/image-worker.ts',
      'src/main/engine/model/media/pdf-worker.ts',
    ],
    isSmall: true,
  },
]

/**
 * What the page loads as a whole: the start, and then the views that it loads ahead
 * (src/renderer/views/lazy-views.tsx).
 */
const PAGE_PARTS: ProgramPart[] = [
  {
    name: 'start',
    entries: ['src/renderer/main.tsx'],
  },
  {
    name: 'shown',
    entries: ['src/renderer/app-shortcuts.tsx', 'src/renderer/features/notifications/ringing-alarms.tsx'],
    after: 'start',
  },
  { name: 'begin', entries: ['src/renderer/views/begin-view.tsx'], after: 'start' },
  {
    name: 'session',
    entries: [
      'src/renderer/views/session-page.tsx',
      'src/renderer/views/session/session-inspector.tsx',
      'src/renderer/features/chat/markdown/markdown.tsx',
      'src/renderer/views/session/answer-card.tsx',
      'src/renderer/features/shell/palette.tsx',
      'src/renderer/views/inbox-view.tsx',
    ],
    after: 'start',
  },
  {
    name: 'more',
    entries: [
      'src/renderer/views/settings-view.tsx',
      'src/renderer/views/tasks-view.tsx',
      'src/renderer/features/terminal/task-terminal.tsx',
      'src/renderer/features/session/restore-dialog.tsx',
      'src/renderer/features/session/tools-dialog.tsx',
      'src/renderer/features/shell/shortcuts-dialog.tsx',
      'src/renderer/features/shell/messages-dialog.tsx',
    ],
    after: 'session',
  },
]

/**
 * Gives the provider packages the small `HeaderList` where they say `Headers`: they make a few of them for each
 * request, and the first mention of Node's own loads all of its `fetch`, which nothing else on the way to a model
 * needs.
 */
const lightHeaders: Plugin = {
  name: 'light-headers',
  transform: (code, id) =>
    /[\\/]@ai-sdk[\\/]provider-utils[\\/]/.test(id)
      ? { code: `import { HeaderList as Headers } from ${JSON.stringify(HEADER_LIST)}\n${code}`, map: null }
      : undefined,
}

/** In the same way for the streams that an answer passes through in these packages. */
const lightStreams: Plugin = {
  name: 'light-streams',
  transform: (code, id) => {
    if (!/[\\/]@ai-sdk[\\/]/.test(id)) return undefined
    const names = ['ReadableStream', 'TransformStream', 'TextDecoderStream'].filter((name) =>
      new RegExp(`\\bnew ${name}\\b`).test(code),
    )
    if (names.length === 0) return undefined
    const imported = names.map((name) => `Light${name} as ${name}`).join(', ')
    const using = code.replaceAll('"eventsource-parser/stream"', JSON.stringify(LIGHT_STREAMS))
    return { code: `import { ${imported} } from ${JSON.stringify(LIGHT_STREAMS)}\n${using}`, map: null }
  },
}

/** In the same way for the packages that serve the contract: they look at each value for forms. */
const lightFormData: Plugin = {
  name: 'light-form-data',
  transform: (code, id) =>
    /[\\/]@orpc[\\/]/.test(id) && /\bFormData\b/.test(code)
      ? { code: `import { FormData } from ${JSON.stringify(FORM_DATA)}\n${code}`, map: null }
      : undefined,
}

/**
 * Bundles the JavaScript of better-sqlite3, 16 small files that each start of the engine would have to find; its binary
 * stays in the package, which is looked up by name, because the bundle is in another folder.
 */
const bundledSqlite: Plugin = {
  name: 'bundled-sqlite',
  transform: (code, id) =>
    /[\\/]better-sqlite3[\\/]lib[\\/]binding\.js$/.test(id)
      ? {
          code: code.replaceAll("__dirname, '..'", "path.dirname(require.resolve('better-sqlite3/package.json'))"),
          map: null,
        }
      : undefined,
}

/**
 * Writes characters beyond ASCII as escapes: Node takes twice the memory for a file that has one, and twice the time to
 * read it. Files in which an escape could mean something else are left alone: raw templates, and characters that take
 * two escapes.
 */
const asciiOnly: Plugin = {
  name: 'ascii-only',
  // At the end: before, strings are printed once more, without escapes.
  generateBundle(_, bundle) {
    for (const chunk of Object.values(bundle)) {
      if (chunk.type !== 'chunk' || /[\u{10000}-\u{10ffff}]|String\.raw`[^`]*[^`\p{ASCII}]/u.test(chunk.code)) continue
      chunk.code = chunk.code.replaceAll(
        /\P{ASCII}/gu,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
    }
  },
}

/** Says that the files beside it are CommonJS, though the project's own are not. */
const commonJs: Plugin = {
  name: 'common-js',
  generateBundle() {
    this.emitFile({ type: 'asset', fileName: 'package.json', source: '{ "type": "commonjs" }\n' })
  },
}

/** The JSON Schemas of the built-in tools, as source text. */
function toolSchemas(): string {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [resolve(import.meta.dirname, 'scripts/tool-schemas.ts')],
    {
      encoding: 'utf8',
    },
  )
  if (status !== 0) throw new Error(`scripts/tool-schemas.ts failed: ${stderr}`)
  return stdout
}

/**
 * The page is served at every one of its routes (/s/…, /settings/…), so what it loads is named from the root. A plugin,
 * because electron-vite overwrites `base` in a configuration.
 */
const fromTheRoot: Plugin = { name: 'from-the-root', config: () => ({ base: '/' }) }

export default defineConfig({
  main: {
    plugins: [
      lightHeaders,
      lightStreams,
      lightFormData,
      bundledSqlite,
      commonJs,
      asciiOnly,
      bundledPackages('out/packages/main.json'),
    ],
    define: { TOOL_SCHEMAS: toolSchemas() },
    build: {
      outDir: 'out/main',
      target: 'node24',
      externalizeDeps: false,
      minify: false,
      rolldownOptions: {
        external,
        input: {
          index: 'src/main/index.ts',
          cli: 'src/main/cli.ts',
          'task-host': 'src/main/task-host.ts',
          'article-worker': 'src/main/engine/web/article-worker.ts',
          'mail-html-worker': 'src/main/engine/mail/message/mail-html-worker.ts',
          'backup-worker': 'src/main/engine/store/backup/backup-worker.ts',
          'key-store-process': 'src/main/engine/config/key-store/key-store-process.ts',
          'worker-host': 'src/main/engine/runtime/worker-host.ts',
          'image-worker': 'src/main/engine/model/media/image-worker.ts',
          'pdf-worker': 'src/main/engine/model/media/pdf-worker.ts',
        },
        output: {
          // Run as scripts, with code that was compiled before (engine/runtime/code-cache.ts), where `import()` is missing.
          format: 'cjs',
          dynamicImportInCjs: false,
          entryFileNames: '[name].js',
          chunkFileNames: 'chunks/[name]-[hash].js',
          // What a start reads is a fifth smaller without.
          comments: { jsdoc: false, annotation: false, legal: true },
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [{ name: startChunks(import.meta.dirname, PARTS) }],
          },
        },
      },
    },
  },
  preload: {
    plugins: [bundledPackages('out/packages/preload.json')],
    build: {
      outDir: 'out/preload',
      target: 'node24',
      externalizeDeps: false,
      rolldownOptions: {
        external: ['electron'],
        input: { index: 'src/preload/index.ts' },
        // A sandboxed preload is one CommonJS file (docs/electron-assumptions.md).
        output: { format: 'cjs', entryFileNames: '[name].cjs', codeSplitting: false },
      },
    },
  },
  renderer: {
    root: 'src/renderer',
    plugins: [react(), tailwindcss(), fromTheRoot, compressedAssets(), bundledPackages('out/packages/renderer.json')],
    build: {
      outDir: 'out/renderer',
      target: 'chrome140',
      // electron-vite minifies nothing by itself, and a browser fetches this from the web host.
      minify: 'oxc',
      // Fonts stay files: the content policy allows no data: URLs for them.
      assetsInlineLimit: 0,
      rolldownOptions: {
        input: { index: 'src/renderer/index.html' },
        output: {
          codeSplitting: {
            includeDependenciesRecursively: false,
            groups: [{ name: startChunks(import.meta.dirname, PAGE_PARTS) }],
          },
        },
      },
    },
    // What is compressed is all that is in the folder at the end, whoever wrote it.
    worker: { format: 'es', plugins: () => [bundledPackages('out/packages/page-worker.json')] },
  },
})
