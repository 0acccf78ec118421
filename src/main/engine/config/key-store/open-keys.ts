import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { keepFolderPrivate } from '../private-folder'
import { createSecrets, type Secrets } from '../secrets'
import { askInProcess } from './ask-key-store'
import { createKeyStore, type KeyStore, type LegacyCipher } from './key-store'

export interface OpenKeysOptions {
  home: string
  legacy?: (() => LegacyCipher | undefined) | undefined
}

/** The key store and the stored keys of a home, as every host opens them: the key store is only asked where something is sealed. */
export async function openKeys({ home, legacy }: OpenKeysOptions): Promise<{ keyStore: KeyStore; secrets: Secrets }> {
  const keyStore = createKeyStore({ ask: askInProcess(), ...(legacy && { legacy }) })
  const problem = await keepFolderPrivate(home)
  const secrets = createSecrets({ home, keyStore, ...(problem !== undefined && { notices: [problem] }) })
  if (['credentials.json', 'mcp-sign-ins.json'].some((name) => hasSealed(join(home, name)))) await secrets.unlock()
  return { keyStore, secrets }
}

function hasSealed(file: string): boolean {
  try {
    return readFileSync(file, 'utf8').includes('"sealed"')
  } catch {
    return false
  }
}
