import { realpathSync } from 'node:fs'
import type { TrustView } from '../../src/shared/configuration/customize/customizations'
import { createTrust } from '../../src/main/engine/trust/create-trust'
import { describeServerFile } from '../../src/main/engine/mcp/config/describe-server'

/** Trusts the current configuration of a project, as the user does in the app. */
export async function trustProject(home: string, folder: string): Promise<TrustView> {
  const trust = createTrust({
    describeServers: describeServerFile,
    home: realpathSync(home),
    now: Date.now,
    notify: () => undefined,
  })
  return trust.accept(folder, (await trust.view(folder)).hash)
}
