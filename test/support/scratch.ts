import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { WireName } from './model-script'

const TYPES: Record<WireName, string> = {
  chat: 'openai-compatible',
  responses: 'openai-responses',
  anthropic: 'anthropic',
  gemini: 'google',
}

export interface Scratch {
  home: string
  project: string
  remove(): void
}

/** A fresh TRESTLE_HOME and a project with some files, for one test. */
export function createScratch(files: Record<string, string> = {}): Scratch {
  const root = mkdtempSync(join(realpathSync(tmpdir()), 'trestle-scratch-'))
  const home = join(root, 'home')
  const project = join(root, 'project')
  mkdirSync(home, { mode: 0o700 })
  mkdirSync(project)
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(project, path)), { recursive: true })
    writeFileSync(join(project, path), text)
  }
  return { home, project, remove: () => removeFolder(root) }
}

/** Removes a folder, even if a process that is about to exit is writing a last file to it. */
export function removeFolder(path: string): void {
  rmSync(path, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 })
}

/** A config with one provider and one model, `local/scripted`, at a scripted model server. */
export function configFor(
  baseUrl: string,
  { wire = 'chat', more = '', loop = '' }: { wire?: WireName; more?: string; loop?: string } = {},
): string {
  return [
    'default_model = "local/scripted"',
    more,
    '[providers.local]',
    `type = "${TYPES[wire]}"`,
    `base_url = "${baseUrl}"`,
    'api_key = "test-key-of-the-config"',
    '[models."local/scripted"]',
    'provider = "local"',
    'model = "scripted"',
    'context_window = 128000',
    'capabilities = ["tools", "image_in", "thinking"]',
    '[loop]',
    loop.includes('retry_base_ms') ? '' : 'retry_base_ms = 20',
    loop,
    '',
  ].join('\n')
}

export function writeConfig(home: string, text: string): void {
  writeFileSync(join(home, 'config.toml'), text, { mode: 0o600 })
}
