import { CodedError } from '../../src/shared/errors'
import type { TrustView } from '../../src/shared/configuration/customize/customizations'
import type { EngineChange } from '../../src/main/engine/foundation/engine-options'
import type { Trust } from '../../src/main/engine/trust/create-trust'

/** The configuration of folders, and whether it is trusted, kept in a variable; reports each change. */
export function memoryTrust(changed: (change: EngineChange) => void): {
  trust: Trust
  putTrust(view: TrustView): void
} {
  const trustViews = new Map<string, TrustView>()
  const decide = async (folder: string, hash: string, state: TrustView['state']): Promise<TrustView> => {
    const view = trustViews.get(folder) ?? { folder, state: 'nothing', parts: [], hash: '' }
    if (view.hash !== hash) throw new CodedError('trust.changed', 'This has changed since it was loaded.')
    const decided = { ...view, state }
    trustViews.set(folder, decided)
    changed({ kind: 'trust', folder })
    return decided
  }
  const trust: Trust = {
    view: async (folder) => trustViews.get(folder) ?? { folder, state: 'nothing', parts: [], hash: '' },
    accept: (folder, hash) => decide(folder, hash, 'trusted'),
    refuse: (folder, hash) => decide(folder, hash, 'refused'),
    list: async () =>
      [...trustViews.values()]
        .filter(({ state }) => state === 'trusted')
        .map(({ folder }) => ({ folder, acceptedAt: 0 })),
    async forget(folder) {
      const view = trustViews.get(folder)
      if (view) await decide(folder, view.hash, 'asked')
    },
  }
  return {
    trust,
    putTrust(view) {
      trustViews.set(view.folder, view)
      changed({ kind: 'trust', folder: view.folder })
    },
  }
}
