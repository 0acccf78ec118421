import type { DiagnosticsReport } from '../../../shared/model/health'
import type { ElectronModule } from './electron-module'

type Section = DiagnosticsReport['sections'][number]

/** What the desktop app knows of itself for diagnostics. What cannot be asked is left out. */
export async function hostDiagnostics({ app, safeStorage }: ElectronModule): Promise<Section[]> {
  const facts: Section['facts'] = [
    { name: 'Packaged', value: app.isPackaged ? 'yes' : 'no' },
    // app.enableSandbox() was called before anything was drawn.
    { name: 'Renderer sandbox', value: process.argv.includes('--no-sandbox') ? 'off (--no-sandbox)' : 'on' },
    { name: 'Key store', value: attempt(() => keyStore(safeStorage)) },
    { name: 'GPU', value: attempt(() => gpuText(app.getGPUFeatureStatus())) },
  ]
  return [{ title: 'Desktop app', facts }]
}

function keyStore(safeStorage: ElectronModule['safeStorage']): string {
  if (!safeStorage.isEncryptionAvailable()) return 'none; keys are in a file that only you can read'
  return process.platform === 'linux' ? safeStorage.getSelectedStorageBackend() : 'system'
}

/** Features that are not drawn by the GPU. */
function gpuText(status: object): string {
  const slow = Object.entries(status).filter(([, state]) => !String(state).startsWith('enabled'))
  return slow.length === 0 ? 'all features enabled' : slow.map(([name, state]) => `${name}: ${String(state)}`).join(', ')
}

function attempt(ask: () => string): string {
  try {
    return ask()
  } catch (error) {
    return `unknown (${error instanceof Error ? error.message : String(error)})`
  }
}
