import { ShieldAlert } from 'lucide-react'
import type { TrustView } from '../../../shared/model/trust'
import { ChipButton } from '../../ui/chip'
import { Tooltip } from '../../ui/tooltip'

/** In the bar of a session whose project has configuration that is not in force; opens the question about it. */
export function TrustMark({ view, onOpen }: { view: TrustView; onOpen: () => void }) {
  if (view.state === 'nothing' || view.state === 'trusted') return null
  return (
    <Tooltip text="Project settings are off because this folder isn’t trusted.">
      <ChipButton className="text-wait-ink" onClick={onOpen}>
        <ShieldAlert aria-hidden />
        Not trusted
      </ChipButton>
    </Tooltip>
  )
}
