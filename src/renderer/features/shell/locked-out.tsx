import { Unplug } from 'lucide-react'
import type { Failure } from '../../../shared/model/errors'
import { EmptyState } from '../../ui/empty-state'

/** All there is to see for a page that the engine did not let in: how to get in. */
export function LockedOut({ failure }: { failure: Failure }) {
  return (
    <main role="alert" className="grid h-full place-content-center">
      <EmptyState icon={<Unplug aria-hidden />} title={failure.title}>
        {failure.advice}
      </EmptyState>
    </main>
  )
}
