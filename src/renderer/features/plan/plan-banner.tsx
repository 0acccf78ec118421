import { ShieldCheck } from 'lucide-react'
import { Banner } from '../../ui/banner'
import { Button } from '../../ui/button'

interface PlanBannerProps {
  onShow: () => void
  onLeave: () => void
}

/** As long as plan mode is on: what that guarantees, and the way out. */
export function PlanBanner({ onShow, onLeave }: PlanBannerProps) {
  return (
    <Banner
      tone="run"
      icon={<ShieldCheck aria-hidden />}
      actions={
        <>
          <Button size="small" onClick={onShow}>
            Show the plan
          </Button>
          <Button size="small" variant="quiet" onClick={onLeave}>
            Leave plan mode
          </Button>
        </>
      }
    >
      <span role="status">
        <b className="font-semibold">Plan mode.</b> Nothing but the plan can change until you approve it.
      </span>
    </Banner>
  )
}
