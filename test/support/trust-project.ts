import { realpathSync } from 'node:fs'
import type { TrustView } from '../../src/shared/model/trust'
import { createTrust } from '../../src/main/engine/config/trust/create-trust'

/** Trusts what a project has now, as the user does in the app. */
export async function trustProject(home: string, folder: string): Promise<TrustView> {
  const trust = createTrust({ home: realpathSync(home), now: Date.now, tell: () => undefined })
  return trust.accept(folder, (await trust.view(folder)).hash)
}
