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
    title: 'This folder brings configuration of its own',
    text: 'It does nothing until you trust the folder. Read what it would do first: whoever can change these files can change what runs here without asking.',
    action: 'Trust this folder',
  },
  changed: {
    title: 'The configuration of this folder has changed since you trusted it',
    text: 'Until you trust it anew it allows nothing; what you accepted before goes on to restrict. What is new is shown as a diff.',
    action: 'Trust the new configuration',
  },
  refused: {
    title: 'The configuration of this folder is not in force',
    text: 'You did not trust it. You will be asked again when it changes.',
    action: 'Trust this folder',
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
          <p className="trust-problem">What you decided before cannot be read, so nothing is trusted: {view.problem}</p>
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
