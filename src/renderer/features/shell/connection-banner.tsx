import { Hourglass, Unplug } from 'lucide-react'
import type { ConnectionState } from '../../client/connection'
import { desktopBridge } from '../../state/desktop-bridge'
import { Banner } from '../../ui/banner'
import { Button } from '../../ui/button'

interface ConnectionBannerProps {
  connection: ConnectionState
  onReconnect: () => void
}

/** Says that the engine does not answer or cannot be reached: since when, which attempt, and that nothing typed is lost. */
export function ConnectionBanner({ connection, onReconnect }: ConnectionBannerProps) {
  const { status, lastSignAt, attempt, failure, responds } = connection
  if (status === 'open' && !responds) {
    return (
      <div role="status">
        <Banner tone="wait" icon={<Hourglass aria-hidden />}>
          <strong className="font-semibold">Not responding.</strong> Trestle hasn't answered since{' '}
          {new Date(lastSignAt).toLocaleTimeString()}. What you send is kept and arrives when it answers.
        </Banner>
      </div>
    )
  }
  if (status === 'open' || (status === 'connecting' && attempt <= 1)) return null
  if (failure) {
    return (
      <div role="alert">
        <Banner tone="fail" icon={<Unplug aria-hidden />}>
          <strong className="font-semibold">{failure.title}.</strong> {failure.advice}
        </Banner>
      </div>
    )
  }
  // The desktop app shows its window before the engine is open.
  if (lastSignAt === 0 && desktopBridge()) {
    return (
      <div role="status">
        <Banner tone="plain" icon={<Hourglass aria-hidden />}>
          <strong className="font-semibold">Starting…</strong> This can take a moment after an update or with many sessions.
        </Banner>
      </div>
    )
  }
  const since = lastSignAt === 0 ? '' : ` since ${new Date(lastSignAt).toLocaleTimeString()}`
  return (
    <div role="status">
      <Banner
        tone="wait"
        icon={<Unplug aria-hidden />}
        actions={
          <Button size="small" onClick={onReconnect}>
            Reconnect now
          </Button>
        }
      >
        <strong className="font-semibold">Disconnected{since}.</strong> Retrying, attempt {Math.max(1, attempt)}. What you typed is kept.
      </Banner>
    </div>
  )
}
