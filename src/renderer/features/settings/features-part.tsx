import { FEATURE_TEXT } from '../../../shared/configuration/features'
import type { FeatureView } from '../../../shared/configuration/features'
import { useSettingsChange } from '../../state/page/queries'
import { showFailureToast } from '../../state/page/toasts-state'
import { SectionHead, Switch } from '../../ui/form/settings-controls'

/** The features that are off until the user turns them on, with what each adds to a request. */
export function FeaturesPart({ features }: { features: readonly FeatureView[] }) {
  const save = useSettingsChange((api, change: Pick<FeatureView, 'feature' | 'enabled'>) => api.setFeature(change))
  return (
    <section aria-labelledby="settings-features">
      <SectionHead
        id="settings-features"
        title="Features"
        text="While a feature is off, the model does not see its tools and nothing of it runs."
      />
      <ul className="divide-y divide-line overflow-hidden rounded-lg border border-line bg-raised">
        {features.map(({ feature, enabled, tokens }) => {
          const { label, description } = FEATURE_TEXT[feature]
          const isPending = save.isPending && save.variables.feature === feature
          return (
            <li key={feature} className="relative px-3.5 py-2.5">
              <Switch
                covers
                label={label}
                description={`${description} Adds about ${tokens.toLocaleString()} tokens to each request.`}
                checked={isPending ? save.variables.enabled : enabled}
                onChange={(wanted) => save.mutate({ feature, enabled: wanted }, { onError: showFailureToast })}
              />
            </li>
          )
        })}
      </ul>
    </section>
  )
}
