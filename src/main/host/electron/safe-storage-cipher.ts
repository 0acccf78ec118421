import type { LegacyCipher } from '../../engine/config/key-store/key-store'
import type { ElectronModule } from './electron-module'

/**
 * Opens what earlier versions sealed with Electron's safeStorage, which no other host can; it is sealed again with the key that all hosts share. Ask for it
 * only once the app is ready. Undefined where the system has no such store.
 */
export function safeStorageCipher(
  safeStorage: ElectronModule['safeStorage'],
  platform: NodeJS.Platform = process.platform,
): LegacyCipher | undefined {
  if (!safeStorage.isEncryptionAvailable()) return undefined
  if (platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text') return undefined
  return {
    decrypt: (sealed) => safeStorage.decryptString(Buffer.from(sealed, 'base64')),
  }
}
