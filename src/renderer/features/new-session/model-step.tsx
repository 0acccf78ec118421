import { Plug, RefreshCw } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import type { ModelView, SettingsView } from '../../../shared/configuration/settings'
import { describeAbilities } from '../../format/model-usage'
import { useDetectLocalModels } from '../../state/detect-local-models'
import { showFailureToast } from '../../state/page/toasts-state'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { RadioList } from '../../ui/form/choice-fields'

interface ModelStepProps {
  settings: SettingsView
  model: string | undefined
  onChoose: (model: string) => void
  /** The form that connects a provider, supplied by the settings. */
  renderConnect: (props: { onConnected: (modelId: string) => void; onCancel: () => void }) => ReactNode
}

/** Number of models shown before "Show all". */
const SHOWN = 6

/** Chooses the model: a configured one, a detected local one, the demo, or a newly connected one. */
export function ModelStep({ settings, model, onChoose, renderConnect }: ModelStepProps) {
  const [connecting, setConnecting] = useState(false)
  const [all, setAll] = useState(false)
  const findLocal = useDetectLocalModels()
  const [asked, setAsked] = useState(false)
  const { mutate: detect } = findLocal
  // Detect local models automatically for users without a model of their own.
  const needsOne = !settings.models.some((candidate) => candidate.origin !== 'built-in')
  useEffect(() => {
    if (needsOne) detect()
  }, [needsOne, detect])
  const models = [...settings.models].sort((a, b) => order(a, settings) - order(b, settings))
  const cut = all
    ? models
    : models.filter((candidate, index) => index < SHOWN || candidate.id === model || candidate.scripted)
  return (
    <>
      <RadioList
        label="Model"
        value={model}
        onChange={onChoose}
        options={cut.map((candidate) => optionOf(candidate, settings))}
      />
      <div className="mt-3 flex flex-wrap items-center gap-2">
        {models.length > cut.length && (
          <Button variant="quiet" onClick={() => setAll(true)}>
            Show {models.length - cut.length} more
          </Button>
        )}
        {!connecting && (
          <Button icon={<Plug aria-hidden />} onClick={() => setConnecting(true)}>
            Connect a provider
          </Button>
        )}
        <Button
          variant="quiet"
          icon={<RefreshCw aria-hidden />}
          busy={findLocal.isPending}
          onClick={() => {
            setAsked(true)
            detect(undefined, { onError: showFailureToast })
          }}
        >
          {settings.models.some((candidate) => candidate.origin === 'found') || findLocal.data
            ? 'Detect local models again'
            : 'Detect local models'}
        </Button>
        <span role="status" className="text-small text-ink-2">
          {asked && findLocal.found}
        </span>
      </div>
      {connecting && (
        <div className="mt-3">
          {renderConnect({
            onConnected: (modelId) => {
              setConnecting(false)
              onChoose(modelId)
            },
            onCancel: () => setConnecting(false),
          })}
        </div>
      )}
    </>
  )
}

function order(model: ModelView, settings: SettingsView): number {
  if (model.id === settings.defaultModel) return 0
  return model.scripted ? 3 : model.origin === 'configured' ? 1 : 2
}

function optionOf(model: ModelView, settings: SettingsView) {
  return {
    value: model.id,
    label: <span className="wrap-anywhere">{model.label}</span>,
    description: model.scripted ? (
      'A scripted demo, no AI model. The tools and file changes are real.'
    ) : (
      <span className="wrap-anywhere">{sourceOf(model)}</span>
    ),
    end: (
      <span className="flex flex-none gap-1.5">
        {model.id === settings.defaultModel && <Badge tone="run">default</Badge>}
        {model.origin === 'found' && <Badge tone="done">on this machine</Badge>}
      </span>
    ),
  }
}

function sourceOf(model: ModelView): string {
  return `${model.providerId} · ${describeAbilities(model)}${model.knownFrom === 'guess' ? ' (a guess)' : ''}`
}
