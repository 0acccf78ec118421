import { ShieldAlert } from 'lucide-react'
import { useId } from 'react'
import type { TrustView } from '../../../shared/model/trust'
import { Button } from '../../ui/button'
import { TrustParts } from './trust-parts'
import './trust.css'
import { useTrustDecision } from './use-trust'

interface TrustBannerProps {
  view: TrustView
  userHome: string | undefined
  /** It was opened by its mark, after it had been put away. */
  reopened: boolean
  onClose: () => void
}

const WORDS = {
  asked: {
    title: 'This project has its own settings',
    text: 'They’re off until you trust this folder. Review them: they can run commands without asking.',
    action: 'Trust folder',
  },
  changed: {
    title: 'This project’s settings have changed since you trusted them',
    text: 'Review the changes to trust it again. Until then, its settings allow nothing; restrictions you accepted still apply.',
    action: 'Trust new settings',
  },
  refused: {
    title: 'Project settings are off',
    text: 'You didn’t trust this folder. You’ll be asked again if its settings change.',
    action: 'Trust folder',
  },
}

/** Asks, without getting in the way, whether a project's own configuration shall count. */
export function TrustBanner({ view, userHome, reopened, onClose }: TrustBannerProps) {
  const { state } = view
  const decision = useTrustDecision()
  const titleId = useId()
  if (state === 'nothing' || state === 'trusted' || (state === 'refused' && !reopened)) return null
  const words = WORDS[state]
  const decide = (trusted: boolean): void => decision.mutate({ view, trusted }, { onSuccess: onClose })
  return (
    <section className="trust" aria-labelledby={titleId}>
      <div>
        <div className="trust-head">
          <ShieldAlert aria-hidden />
          <div className="min-w-0 flex-1">
            <h2 id={titleId}>{words.title}</h2>
            <p className="text-ink-2">{words.text}</p>
          </div>
        </div>
        {view.problem !== undefined && (
          <p className="trust-problem">Your earlier decision can’t be read, so nothing is trusted: {view.problem}</p>
        )}
        <TrustParts view={view} userHome={userHome} />
        <div className="trust-acts">
          <Button busy={decision.isPending} onClick={() => decide(true)}>
            {words.action}
          </Button>
          <Button variant="quiet" onClick={state === 'refused' ? onClose : () => decide(false)}>
            {state === 'refused' ? 'Close' : 'Not now'}
          </Button>
        </div>
      </div>
    </section>
  )
}
