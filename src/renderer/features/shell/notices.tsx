import { FileWarning, Info } from 'lucide-react'
import type { ConfigProblem } from '../../../shared/model/settings'
import { shortPath } from '../../state/folder-name'
import { useLayout } from '../../state/layout-state'
import { Banner } from '../../ui/banner'
import { Button } from '../../ui/button'

/** What went wrong at start and what was done about it. Each can be put away. */
export function StartNotices({ notices }: { notices: readonly string[] }) {
  const dismissed = useLayout((layout) => layout.dismissedNotices)
  return notices
    .filter((notice) => !dismissed.includes(notice))
    .map((notice) => (
      <div key={notice} role="status">
        <Banner tone="plain" icon={<Info aria-hidden />} onDismiss={() => useLayout.getState().dismissNotice(notice)}>
          {notice}
        </Banner>
      </div>
    ))
}

/** Says that the configuration has mistakes and where the first one is. It goes when they are mended. */
export function ConfigBanner({ problems, userHome }: { problems: readonly ConfigProblem[]; userHome: string | undefined }) {
  const view = useLayout((layout) => layout.view)
  const [first] = problems
  if (!first) return null
  const more = problems.length - 1
  return (
    <div role="alert">
      <Banner
        tone="fail"
        icon={<FileWarning aria-hidden />}
        actions={
          (view.kind !== 'settings' || view.section !== 'about') && (
            <Button size="small" onClick={() => useLayout.getState().openSettings('about')}>
              Open settings
            </Button>
          )
        }
      >
        <code className="font-mono text-small">{placeOf(first, userHome)}</code> {first.message}
        {more > 0 && ` (and ${more} more)`}{' '}
        <span className="text-ink-2">Until it’s fixed, the last valid settings or the defaults apply.</span>
      </Banner>
    </div>
  )
}

/** `file:line:column` as editors write it. */
export function placeOf({ file, line, column }: ConfigProblem, userHome: string | undefined): string {
  return [shortPath(file, userHome), line, column].filter((part) => part !== undefined).join(':')
}
