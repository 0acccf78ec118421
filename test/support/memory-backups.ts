import type { Backups } from '../../src/main/engine/engine-api'
import type { BackupsView } from '../../src/shared/configuration/app'

/** Only counts backups. */
export function memoryBackups(): Backups {
  let view: BackupsView = { folder: '/home/backups', count: 0, bytes: 0 }
  return {
    view: () => view,
    take: async () =>
      (view = { ...view, count: view.count + 1, bytes: view.bytes + 1000, newestAt: 1_800_000_000_000 }),
    recover() {
      throw new Error('There is no store to recover from.')
    },
  }
}
