import { useState } from 'react'
import { TrustBanner } from './trust-banner'
import { useTrustView } from './use-trust'

/** The question about a folder where something waits for its answer; also after it was put away. */
export function TrustQuestion({ folder, userHome }: { folder: string; userHome: string | undefined }) {
  const view = useTrustView(folder)
  const [closedAt, setClosedAt] = useState<string>()
  if (!view || view.state === 'nothing' || view.state === 'trusted' || closedAt === view.hash) return null
  return (
    <div className="mb-3.5 overflow-hidden rounded-lg border border-line [&_.trust]:border-b-0">
      <TrustBanner view={view} userHome={userHome} reopened onClose={() => setClosedAt(view.hash)} />
    </div>
  )
}
