import { createTrust } from '../../engine/config/trust/create-trust'

/**
 * `trestle permission show|trust|untrust`: prints the folder's own configuration, and whether it counts, as JSON. Returns 0; or 2 when a
 * command of an agent tries to decide, which is a person's to do.
 */
export async function trustMain(action: 'show' | 'trust' | 'untrust', folder: string, home: string): Promise<number> {
  if (action !== 'show' && process.env['TRESTLE_TASK'] !== undefined) {
    process.stderr.write('trestle: whom to trust is decided by a person: run this in a terminal of your own, not in a task of Trestle.\n')
    return 2
  }
  const trust = createTrust({ home, now: Date.now, tell: () => undefined })
  if (action === 'untrust') await trust.forget(folder)
  const view = await trust.view(folder)
  const shown = action === 'trust' ? await trust.accept(folder, view.hash) : view
  process.stdout.write(`${JSON.stringify(shown)}\n`)
  return 0
}
