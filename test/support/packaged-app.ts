import { chmodSync, copyFileSync, linkSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** A folder as `resources` of an installed app, with small files in place of the real ones. `files`: paths in the app, with what they say. */
export function fakeResources(folder: string, files: Record<string, string> = {}): { resources: string; node: string; app: string } {
  const resources = join(folder, 'resources')
  const [node, app] = [join(resources, 'bin', 'trestle-node'), join(resources, 'app.asar.unpacked')]
  const all = { 'package.json': '{"type":"module"}', 'out/main/task-host.js': 'one', 'out/main/chunks/a.js': 'chunk', ...files }
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(app, name)), { recursive: true })
    writeFileSync(join(app, name), text)
  }
  mkdirSync(dirname(node), { recursive: true })
  writeFileSync(node, '#!/bin/sh\necho node\n')
  chmodSync(node, 0o755)
  return { resources, node, app }
}

/** Puts the Node that runs the tests where an installed app has its own: without a copy where the file system allows. */
export function putNode(path: string): void {
  mkdirSync(dirname(path), { recursive: true })
  try {
    linkSync(process.execPath, path)
  } catch {
    copyFileSync(process.execPath, path)
  }
}
