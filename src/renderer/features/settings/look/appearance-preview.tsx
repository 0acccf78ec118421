import { t } from '../../../../shared/language/settings-messages'
import { Badge } from '../../../ui/badge'
import { Button } from '../../../ui/button'

/** A small piece of a conversation, as it looks with the current choices. */
export function AppearancePreview() {
  return (
    <figure aria-label={t('appearance.preview')} className="mt-4 rounded-lg border border-line bg-paper p-4">
      <figcaption className="mb-2 text-tiny font-semibold text-ink-3">{t('appearance.preview')}</figcaption>
      <p className="ml-auto w-fit max-w-[80%] rounded-lg bg-[var(--bubble)] px-3 py-1.5">
        {t('appearance.preview.message')}
      </p>
      <p className="mt-2 flex flex-wrap items-center gap-2">
        <Badge tone="done">Edit</Badge>
        <code>src/helper.ts</code>
      </p>
      <pre className="mt-2 overflow-x-auto rounded-md border border-line bg-raised px-3 py-2">
        <span className="text-del-ink">- export function old() {'{}'}</span>
        {'\n'}
        <span className="text-add-ink">+ export function renamed() {'{}'}</span>
      </pre>
      <p className="mt-2">{t('appearance.preview.answer')}</p>
      <div className="mt-3 flex gap-2">
        <Button variant="primary" tabIndex={-1}>
          {t('rules.allow')}
        </Button>
        <Button tabIndex={-1}>{t('rules.deny')}</Button>
      </div>
    </figure>
  )
}
