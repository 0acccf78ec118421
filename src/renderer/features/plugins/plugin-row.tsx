import { CircleAlert } from 'lucide-react'
import type { PluginPlace, PluginView } from '../../../shared/model/app/plugin'
import { shortPath } from '../../format/folder-name'
import { showToast } from '../../state/page/toasts-state'
import { Badge } from '../../ui/badge'
import { Button } from '../../ui/button'
import { Switch } from '../../ui/form/settings-controls'
import { bringsText, placeOf, STATES, usePluginChange, useRemovePlugin } from './plugin-actions'

interface PluginRowProps {
  plugin: PluginView
  userHome: string | undefined
  onReview: () => void
}

/** A plugin with its state, its contents, and the actions on it. */
export function PluginRow({ plugin, userHome, onReview }: PluginRowProps) {
  const { name, version, description, author, scope, state, source, problems } = plugin
  const setEnabled = usePluginChange((plugins, enabled: boolean) => plugins.setEnabled({ ...placeOf(plugin), enabled }))
  const update = usePluginChange(
    (plugins, place: PluginPlace) => plugins.update(placeOf(place)),
    (after) => {
      if (after.hash === plugin.hash) showToast(`${name} is up to date`)
      else onReview()
    },
  )
  const remove = useRemovePlugin()
  const { word, tone } = STATES[state]
  const isDecided = state === 'enabled' || state === 'disabled'
  const brings = bringsText(plugin)
  return (
    <li className="border-t border-line px-3.5 py-2.5 first:border-t-0">
      <div className="flex items-start gap-3">
        <div className="min-w-0 flex-1">
          <p className="flex flex-wrap items-center gap-x-2 gap-y-0.5">
            <span className="font-medium wrap-anywhere">{name}</span>
            {version !== '' && <span className="text-small text-ink-3">{version}</span>}
            <Badge tone={tone}>{word}</Badge>
            {scope === 'project' && <Badge>this project</Badge>}
          </p>
          {description !== '' && <p className="text-ui wrap-anywhere text-ink-2">{description}</p>}
          <p className="text-small wrap-anywhere text-ink-3">
            {[author === '' ? '' : `by ${author}`, brings].filter(Boolean).join(' · ')}
          </p>
          {source && (
            <p className="font-mono text-tiny wrap-anywhere text-ink-3">
              {shortPath(source.from, userHome)}
              {source.commit !== undefined && ` @ ${source.commit.slice(0, 10)}`}
            </p>
          )}
        </div>
        <Switch
          label={<span className="sr-only">Use {name}</span>}
          checked={setEnabled.isPending ? setEnabled.variables : state === 'enabled'}
          disabled={!isDecided}
          onChange={(enabled) => setEnabled.mutate(enabled)}
          className="flex-none gap-0!"
        />
      </div>
      {problems.length > 0 && (
        <ul aria-label={`Problems of ${name}`} className="mt-1.5 space-y-1">
          {problems.map((problem, index) => (
            <li key={index} className="flex items-start gap-2 text-small">
              <CircleAlert aria-hidden className="mt-[2px] size-[13px] flex-none text-fail-ink" />
              <span className="min-w-0 wrap-anywhere">{problem}</span>
            </li>
          ))}
        </ul>
      )}
      <div className="mt-2 flex flex-wrap gap-2">
        {state !== 'broken' && (
          <Button size="small" aria-label={`Review ${name}`} onClick={onReview}>
            {state === 'changed' ? 'Review changes…' : isDecided ? 'Review' : 'Review…'}
          </Button>
        )}
        {source && (
          <Button
            size="small"
            variant="quiet"
            aria-label={`Update ${name}`}
            busy={update.isPending}
            onClick={() => update.mutate(plugin)}
          >
            Update
          </Button>
        )}
        <Button
          size="small"
          variant="quiet"
          aria-label={`Remove ${name}`}
          busy={remove.isPending}
          onClick={() => remove.mutate(plugin)}
        >
          Remove
        </Button>
      </div>
    </li>
  )
}
