import { Plug, RefreshCw } from 'lucide-react'
import { useEffect, useState, type ReactNode, type Ref } from 'react'
import { useDetectLocalModels } from '../../state/detect-local-models'
import { showFailureToast } from '../../state/page/toasts-state'
import { Button } from '../../ui/button'

interface ConnectPartProps {
  ref: Ref<HTMLElement>
  /** Whether the user has no model of their own. */
  needsOne: boolean
  open: boolean
  onOpen: (open: boolean) => void
  render: () => ReactNode
}

/** Connects a provider, and finds models that run on this machine. */
export function ConnectPart({ ref, needsOne, open, onOpen, render }: ConnectPartProps) {
  const findLocal = useDetectLocalModels()
  const [asked, setAsked] = useState(false)
  const { mutate: detect } = findLocal
  useEffect(() => {
    if (needsOne) detect()
  }, [needsOne, detect])
  return (
    <section ref={ref} aria-label="Connect a model" className="mt-8">
      <div className="mb-3 flex flex-wrap items-center gap-2">
        {open ? (
          <h2 className="min-w-[120px] flex-1 text-body font-semibold">Connect a model</h2>
        ) : (
          <Button size="small" variant="quiet" icon={<Plug aria-hidden />} onClick={() => onOpen(true)}>
            Connect a provider
          </Button>
        )}
        {open && (
          <>
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
          </>
        )}
      </div>
      {open && render()}
    </section>
  )
}
