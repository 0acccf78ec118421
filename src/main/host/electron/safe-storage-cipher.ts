import type { Cipher } from '../../engine/config/secrets'
import type { ElectronModule } from './electron-module'

/**
 * The system's key store as the cipher of the secrets. Ask for it only once the app is ready. Undefined when there is none (a Linux desktop without a
 * keyring would only scramble with a fixed password): keys are then kept in a file that only the user can read.
 */
export function safeStorageCipher(
  safeStorage: ElectronModule['safeStorage'],
  platform: NodeJS.Platform = process.platform,
): Cipher | undefined {
  if (!safeStorage.isEncryptionAvailable()) return undefined
  if (platform === 'linux' && safeStorage.getSelectedStorageBackend() === 'basic_text') return undefined
  return {
    encrypt: (text) => safeStorage.encryptString(text).toString('base64'),
    decrypt: (sealed) => safeStorage.decryptString(Buffer.from(sealed, 'base64')),
  }
}
