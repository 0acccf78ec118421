import { RefreshCw } from 'lucide-react'
import { useEffect, useRef, useState, type ReactNode, type Ref } from 'react'
import { useDetectLocalModels } from '../../state/detect-local-models'
import { showFailureToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'
import { focusUnlessMoved } from '../../ui/overlay/return-focus'

interface ConnectPartProps {
  ref: Ref<HTMLElement>
  /** Whether the user has no model of their own. */
  needsOne: boolean
  render: () => ReactNode
}

/** Connects a provider, and finds models that run on this machine. */
export function ConnectPart({ ref, needsOne, render }: ConnectPartProps) {
  const findLocal = useDetectLocalModels()
  const [asked, setAsked] = useState(false)
  const { mutate: detect } = findLocal
  useEffect(() => {
    if (needsOne) detect()
  }, [needsOne, detect])
  const heading = useRef<HTMLHeadingElement>(null)
  // The button that opens this part is gone.
  useEffect(() => focusUnlessMoved(heading.current, null), [])
  return (
    <section ref={ref} aria-label="Connect a model" className="mt-8">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        <h2 ref={heading} tabIndex={-1} className="min-w-[120px] flex-1 text-body font-semibold outline-none">
          Connect a model
        </h2>
        <span role="status" className="text-small text-ink-2">
          {(asked || (findLocal.data?.length ?? 0) > 0) && findLocal.found}
        </span>
        <Button
          size="small"
          variant="quiet"
          icon={<RefreshCw aria-hidden />}
          busy={findLocal.isPending}
          onClick={() => {
            setAsked(true)
            detect(undefined, { onError: showFailureToast })
          }}
        >
          Detect local models
        </Button>
      </div>
      {render()}
    </section>
  )
}
